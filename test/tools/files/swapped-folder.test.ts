import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { blockText, type ToolInput } from "../../../src/protocol/block.ts";
import { leave, quietRun, room } from "../room.ts";

afterAll(leave);

test("while a folder is swapped for a link all the time, nothing outside is read or written", async () => {
  const at = await room({ mode: "accept-edits" });
  writeFileSync(join(at.outside, "f.txt"), "SECRET\n");
  at.put("folder/f.txt", "inside\n");
  at.put("folder/deep/f.txt", "inside\n");
  symlinkSync(at.outside, join(at.root, "link"));
  const swap = `
    const { renameSync } = require("node:fs");
    for (;;) {
      for (const [from, to] of [["folder", "kept"], ["link", "folder"], ["folder", "link"], ["kept", "folder"]]) {
        try { renameSync(from, to); } catch {}
      }
    }`;
  const swapper = Bun.spawn([process.execPath, "-e", swap], {
    cwd: at.root,
    stdio: ["ignore", "ignore", "ignore"],
  });
  let turns = 0;
  /** Like the agent: calls that would ask because they lead outside are not run. */
  const tryTo = async (name: string, input: ToolInput): Promise<string> => {
    turns += 1;
    const call = { type: "tool_use", id: `t${turns}`, name, input } as const;
    if ((await at.box.review(call)).verdict !== "allow") return "";
    return blockText((await at.box.run(call, quietRun())).content);
  };
  try {
    for (let turn = 0; turn < 60; turn += 1) {
      expect(await tryTo("Read", { file_path: "folder/f.txt" })).not.toContain("SECRET");
      await tryTo("Write", { file_path: "folder/new.txt", content: "x" });
      await tryTo("Write", { file_path: "folder/new/deep.txt", content: "x" });
      await tryTo("Edit", { file_path: "folder/f.txt", old_string: "SECRET", new_string: "x" });
    }
  } finally {
    swapper.kill();
    await swapper.exited;
  }
  expect(readdirSync(at.outside)).toEqual(["f.txt"]);
  expect(readFileSync(join(at.outside, "f.txt"), "utf8")).toBe("SECRET\n");
  expect([...at.kept.values()].join("")).not.toContain("SECRET");
  expect(existsSync(join(at.outside, "new"))).toBe(false);
});

const calls = [
  ["Read", { file_path: "folder/a.txt" }],
  ["Edit", { file_path: "folder/a.txt", old_string: "needle", new_string: "x" }],
  ["Write", { file_path: "folder/new.txt", content: "x" }],
  ["Grep", { pattern: "needle", path: "folder", output_mode: "content" }],
] as const;

test.each(calls)(
  "%s does not follow a folder that became a link after the question",
  async (name, input) => {
    const at = await room();
    at.put("folder/a.txt", "inside needle");
    writeFileSync(join(at.outside, "a.txt"), "outside needle");
    const call = { type: "tool_use", id: "1", name, input } as const;
    await at.box.review(call);
    renameSync(join(at.root, "folder"), join(at.root, "before"));
    symlinkSync(at.outside, join(at.root, "folder"));
    const { content, isError } = await at.box.run(call, quietRun());
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).not.toContain("outside needle");
    expect(readFileSync(join(at.outside, "a.txt"), "utf8")).toBe("outside needle");
    expect(existsSync(join(at.outside, "new.txt"))).toBe(false);
  },
);
