import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSubagents } from "../../src/extensions/commands/prompt-files.ts";
import { testFolder } from "../folder.ts";

const folder = testFolder("agents");

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const homes = { home: join(folder, "home"), own: join(folder, "own"), results: join(folder, "r") };
const project = { root: join(folder, "work"), cwd: join(folder, "work"), homes };
const own = [join(folder, "home/.claude/agents")];

test("reads definitions of the user and of a trusted project, whose own come last", async () => {
  write("home/.claude/agents/look.md", "---\ndescription: mine\n---\nLook.");
  write("home/.claude/agents/review.md", "---\ndescription: reviews\nmodel: inherit\n---\nReview.");
  write(
    "work/.claude/agents/look.md",
    "---\nname: look\ndescription: theirs\ntools: [Read, 5, Grep]\nmodel: haiku\n---\nLook well.",
  );
  const found = await findSubagents(own, project);
  expect(found).toEqual([
    {
      name: "look",
      description: "theirs",
      prompt: "Look well.",
      tools: ["Read", "Grep"],
      model: "haiku",
      readsOnly: false,
    },
    {
      name: "review",
      description: "reviews",
      prompt: "Review.",
      tools: null,
      model: null,
      readsOnly: false,
    },
  ]);
  expect((await findSubagents(own, null))[0]).toMatchObject({ description: "mine" });
});

test("leaves out what is incomplete, badly named, or a link to elsewhere", async () => {
  write("work/.mini-claude/agents/mute.md", "---\nname: mute\n---\nNo description.");
  write("work/.mini-claude/agents/empty.md", "---\ndescription: says nothing\n---\n");
  write("work/.mini-claude/agents/bad name.md", "---\ndescription: d\n---\ntext");
  write("work/.mini-claude/agents/notes.txt", "---\ndescription: d\n---\ntext");
  write("elsewhere.md", "---\ndescription: a secret\n---\ntext");
  symlinkSync(join(folder, "elsewhere.md"), join(folder, "work/.mini-claude/agents/link.md"));
  expect((await findSubagents([], project)).map(({ name }) => name)).toEqual(["look"]);
});
