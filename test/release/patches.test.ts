import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { prepareBareInk } from "../lab/bench/screen/start-bare-ink.ts";

test("the benchmark of the screen compares it with Ink as it is published", async () => {
  const { modules, remove } = await prepareBareInk();
  const build = join(modules, "ink/build");
  const uses = (text: string): string[] =>
    readdirSync(build, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".js") && readFileSync(join(build, name), "utf8").includes(text),
    );
  const patched = uses("Bun");
  remove();
  expect(patched).toEqual([]);
});
