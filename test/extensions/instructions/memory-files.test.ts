import { expect, test } from "bun:test";
import { join } from "node:path";
import { memoryFiles } from "../../../src/extensions/instructions/memory.ts";
import { testFolder } from "../../folder.ts";

const root = testFolder("memory-files");

test("notes come first, each file is named once, and one that is not there has no size", async () => {
  const memory = { here: join(root, "here.md"), everywhere: join(root, "everywhere.md") };
  const instructions = join(root, "AGENTS.md");
  await Bun.write(memory.here, "- one\n");
  await Bun.write(instructions, "Use tabs.");
  expect(await memoryFiles({ memory }, [memory.here, instructions])).toEqual([
    { name: "Notes on this folder", path: memory.here, bytes: 6 },
    { name: "Notes for all folders", path: memory.everywhere, bytes: null },
    { name: "Instructions", path: instructions, bytes: 9 },
  ]);
});
