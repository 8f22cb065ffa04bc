import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FlexDirection, loadYoga } from "yoga-layout/load";
import { prepareBareInk } from "../lab/bench/screen/start-bare-ink.ts";

test("the layout engine begins with little memory and takes more when it needs it", async () => {
  const outsideHeapMib = (): number => {
    Bun.gc(true);
    return heapStats().extraMemorySize / 1024 ** 2;
  };
  const before = outsideHeapMib();
  const { Node } = await loadYoga();
  expect(outsideHeapMib() - before).toBeLessThan(4);

  const rows = 20_000;
  const root = Node.create();
  root.setFlexDirection(FlexDirection.Column);
  for (let n = 0; n < rows; n++) {
    const row = Node.create();
    row.setHeight(1);
    root.insertChild(row, n);
  }
  root.calculateLayout(80, undefined);
  expect(root.getChild(rows - 1).getComputedTop()).toBe(rows - 1);
});

test("the benchmark of the screen compares it with Ink as it is published", async () => {
  const { modules, remove } = await prepareBareInk();
  const build = join(modules, "ink/build");
  const uses = (text: string): string[] =>
    readdirSync(build, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".js") && readFileSync(join(build, name), "utf8").includes(text),
    );
  const yoga = readFileSync(
    join(modules, "yoga-layout/dist/binaries/yoga-wasm-base64-esm.js"),
    "utf8",
  );
  const patched = uses("Bun");
  remove();
  expect(patched).toEqual([]);
  expect(yoga).not.toContain("fromBase64");
});
