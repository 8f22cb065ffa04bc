import { expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { blockText } from "../../../src/protocol/block.ts";
import { memoryFiles, readMemory, remember } from "../../../src/extensions/instructions/memory.ts";
import { testFolder } from "../../folder.ts";

const base = testFolder("memory");

test("notes are lines of a private file, and are read at the next start", async () => {
  const file = join(base, "memory", "here.md");
  const { fact: told, warning } = await remember(file, "use tabs");
  expect(blockText(told.content)).toEndWith(":\n- use tabs");
  expect(warning).toBeNull();
  await remember(file, " never\n push ");
  expect(await Bun.file(file).text()).toBe("- use tabs\n- never push\n");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(base, "memory"))).mode & 0o777).toBe(0o700);
  const blank = join(base, "blank.md");
  await Bun.write(blank, " \n");
  const [fact, ...others] = await readMemory([join(base, "missing.md"), blank, file]);
  expect(others).toEqual([]);
  expect(fact).toMatchObject({ kind: "instructions", title: file });
  expect(blockText(fact?.content ?? [])).toEndWith("- use tabs\n- never push");
});

test("the user's own note is added to full notes as well, with a warning", async () => {
  const file = join(base, "full.md");
  await Bun.write(file, "- an older note\n".repeat(500));
  const { warning } = await remember(file, "use tabs");
  expect(warning).toMatch(/newest 8,000 characters.*the oldest 10 are no longer shown/);
  expect(await Bun.file(file).text()).toEndWith("\n- use tabs\n");
  const over = async (chars: number): Promise<string | null> => {
    await Bun.write(file, "x".repeat(chars - "\n- tabs".length));
    return (await remember(file, "tabs")).warning;
  };
  expect(await over(8_000)).toBeNull();
  expect(await over(8_001)).toContain("the oldest 1 are no longer shown");
});

test("of many notes the newest are shown, as whole lines", async () => {
  const file = join(base, "long.md");
  const lines = Array.from({ length: 2_000 }, (_, index) => `- note ${index}`);
  await Bun.write(file, lines.join("\n"));
  const [fact] = await readMemory([file]);
  const shown = blockText(fact?.content ?? []).split("\n");
  expect(shown[1]).toBe(`[older notes are in ${file}]`);
  expect(shown[2]).toMatch(/^- note \d+$/);
  expect(shown.at(-1)).toBe("- note 1999");
  expect(shown.join("\n").length).toBeLessThan(8_200);
});

test("notes come first, each file is named once, and one that is not there has no size", async () => {
  const memory = { here: join(base, "here.md"), everywhere: join(base, "everywhere.md") };
  const instructions = join(base, "AGENTS.md");
  await Bun.write(memory.here, "- one\n");
  await Bun.write(instructions, "Use tabs.");
  expect(await memoryFiles({ memory }, [memory.here, instructions])).toEqual([
    { name: "Notes on this folder", path: memory.here, bytes: 6 },
    { name: "Notes for all folders", path: memory.everywhere, bytes: null },
    { name: "Instructions", path: instructions, bytes: 9 },
  ]);
});
