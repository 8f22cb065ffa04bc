import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { listField, markdownBelow, readFrontMatter } from "../../src/extensions/markdown-file.ts";

test("reads the fields before a text", () => {
  const text = "---\nname: look\ntools: [Read, Grep]\n---\n\nLook around.\n";
  expect(readFrontMatter(text)).toEqual({
    fields: { name: "look", tools: ["Read", "Grep"] },
    body: "Look around.",
  });
});

test.each([
  ["none", "Only text.\n---\nmore", "Only text.\n---\nmore"],
  ["none that ends", "---\nname: look\n", "---\nname: look"],
  ["an empty one", "---\n---\ntext", "text"],
  ["one with Windows line ends", "---\r\n---\r\ntext\r\n", "text"],
  ["a list instead of fields", "---\n- a\n---\ntext", "text"],
])("a file with %s has no fields", (_, text, body) => {
  expect(readFrontMatter(text)).toEqual({ fields: {}, body });
});

test("reads line by line what is not valid YAML", () => {
  const text = "---\nname: look\ndescription: Use it when: you: search [a\n---\ntext";
  expect(readFrontMatter(text).fields).toEqual({
    name: "look",
    description: "Use it when: you: search [a",
  });
});

test("splits lists at commas and spaces outside of brackets", () => {
  expect(listField("Read, Bash(git diff:*) Grep")).toEqual(["Read", "Bash(git diff:*)", "Grep"]);
  expect(listField(["Read", 3])).toEqual(["Read"]);
  expect(listField(undefined)).toBeNull();
});

test("a list that is full of open brackets is read at once", () => {
  expect(listField("(".repeat(1_000_000))).toBeArray();
});

test("linked folders are searched, links back are not", async () => {
  const folder = await mkdtemp(join(tmpdir(), "linked-"));
  await mkdir(join(folder, "dot/git"), { recursive: true });
  await mkdir(join(folder, "commands"));
  await writeFile(join(folder, "dot/git/push.md"), "Push.");
  await symlink(join(folder, "dot/git"), join(folder, "commands/git"));
  await symlink(join(folder, "commands"), join(folder, "commands/loop"));
  expect(await markdownBelow(join(folder, "commands"))).toEqual([join("git", "push.md")]);
  await rm(folder, { recursive: true });
});
