import { expect, test } from "bun:test";
import { homedir } from "node:os";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

test("a line that starts with # becomes a note; a heading or a longer text is a message", async () => {
  const on = stage(new Builder());
  await on.press("# use tabs", "<enter>");
  expect(on.sent).toEqual([{ type: "remember", note: "use tabs" }]);
  expect(on.message()).toContain("/memory");
  await on.press("## a heading", "<enter>");
  expect(on.sent.at(-1)).toMatchObject({ type: "prompt" });
});

test("/memory lists notes and instructions, and opens one in the editor", async () => {
  const edited: string[] = [];
  const on = stage(new Builder(), {
    services: {
      memoryFiles: async () => [
        { name: "Notes on this folder", path: `${homedir()}/m/here.md`, bytes: null },
        { name: "Instructions", path: "/w/CLAUDE.md", bytes: 2_000 },
      ],
      async editFile(path) {
        edited.push(path);
      },
    },
  });
  await on.press("/memory", "<enter>");
  await on.settle();
  expect(on.frame()).toContain("Notes on this folder      empty  ~/m/here.md");
  await on.press("<down>", "<enter>");
  expect(edited).toEqual(["/w/CLAUDE.md"]);
});
