import { afterAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findInstructions } from "../../../src/agent/opening/instructions.ts";

const root = await mkdtemp(join(tmpdir(), "instructions-"));
afterAll(() => rm(root, { recursive: true }));

test("outer folders come first, the person's own before them, copies once", async () => {
  const inner = join(root, "a", "b");
  await mkdir(inner, { recursive: true });
  await Bun.write(join(root, "own.md"), "own");
  await Bun.write(join(root, "AGENTS.md"), "outer");
  await Bun.write(join(inner, "AGENTS.md"), "inner");
  await Bun.write(join(inner, "CLAUDE.md"), "inner");
  const found = await findInstructions(inner, [join(root, "own.md"), join(root, "missing.md")]);
  const texts = found.map((fact) =>
    fact.content.map((block) => block.type === "text" && block.text),
  );
  expect(texts).toEqual([["own"], ["outer"], ["inner"]]);
  expect(found.at(-1)?.title).toBe(join(inner, "AGENTS.md"));
});

test("a huge file is cut and says so", async () => {
  const folder = join(root, "huge");
  await mkdir(folder);
  await Bun.write(join(folder, "AGENTS.md"), "z".repeat(100_000));
  const [last] = (await findInstructions(folder, [])).slice(-1);
  const block = last?.content[0];
  expect(block?.type === "text" && block.text.length).toBeLessThan(40_200);
  expect(block?.type === "text" && block.text).toContain("60000 more bytes");
});
