/** Where a path leads, however it is written: what lies outside the folders of the session is asked about. */

import { afterAll, expect, test } from "bun:test";
import fc from "../properties.ts";
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { ToolInput } from "../../src/protocol/block.ts";
import { leave, room, temporaryFolder, type Room } from "./room.ts";

afterAll(leave);

const added = temporaryFolder();

async function open() {
  const at = await room({ mode: "accept-edits", sandbox: "off", addedFolders: [added] });
  at.put("src/a.ts", "");
  for (const folder of [`${at.root}-other`, at.results]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(at.outside, "secret"), "");
  return { ...at, link: (name: string, to: string) => symlinkSync(to, join(at.root, name)) };
}

/** Whether a new file there is written without a question. */
const isInside = async ({ review }: Room, file_path: string) =>
  (await review("Write", { file_path, content: "x" })).verdict === "allow";

test.each([
  ["src/b.ts", true],
  ["src/../src/new/deep.ts", true],
  ["~x", true],
  [join(added, "x"), true],
  [join(added, "../x"), false],
  ["../x", false],
  ["../workspace-other/x", false],
  ["/etc/passwd.new", false],
  ["~/x", false],
  ["src/../../outside/new", false],
])("%j is inside: %p", async (given, inside) => {
  expect(await isInside(await open(), given)).toBe(inside);
});

test("an added folder has to exist", async () => {
  await expect(room({ addedFolders: ["/none"] })).rejects.toThrow("There is no folder /none.");
});

test("~ is the home", async () => {
  const at = await open();
  writeFileSync(join(at.outside, "../home/x"), "of the home");
  expect(await at.say("Read", { file_path: "~/x" })).toContain("of the home");
  expect(await at.say("Read", { file_path: "~" })).toContain("is a folder");
});

test("symlinks are resolved in every path segment", async () => {
  const at = await open();
  at.link("folder", "../outside");
  at.link("dangling", join(at.outside, "new"));
  at.link("chain", "dangling");
  at.link("inside", "src");
  at.link("missing-parent", join(at.outside, "no", "such"));
  for (const path of ["folder/new", "folder/new/x", "dangling", "chain", "missing-parent/x"])
    expect([path, await isInside(at, path)]).toEqual([path, false]);
  expect(await isInside(at, "inside/x")).toBe(true);
});

test.each([
  ["  ", "is empty"],
  ["a\0b", "null byte"],
  ["x".repeat(5000), "too long"],
  ["a/x", "loop"],
])("%j is refused with a sentence", async (file_path, words) => {
  const at = await open();
  at.link("a", "b");
  at.link("b", "a");
  expect(await at.say("Read", { file_path })).toContain(words);
});

/** Where a path leads, by the system: the deepest part that exists. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(real(dirname(path)), basename(path));
  }
}

test("no spelling of a path escapes unnoticed", async () => {
  const at = await open();
  at.link("way", "../outside");
  const part = fc.constantFrom("..", ".", "src", "way", "", "secret", "x");
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (parts) => {
      const file_path = `${parts.join(sep)}${sep}new`;
      const path = real(resolve(at.root, file_path));
      expect(await isInside(at, file_path)).toBe(path.startsWith(at.root + sep));
    }),
    { numRuns: 200 },
  );
});

test("only the result files of this session are accessible", async () => {
  const results = temporaryFolder();
  const ownResults = [join(results, "resumed.txt")];
  const at = await room({ resultsDir: results, ownResults, sandbox: "off" });
  const { file = "" } = await at.judged("Bash", { command: "seq 1 20000" });
  const names = [basename(file), "resumed.txt", "other.txt", "deep/resumed.txt"];
  const verdicts = async (tool: string, input: (path: string) => ToolInput) =>
    (await Promise.all(names.map((name) => at.verdict(tool, input(join(results, name)))))).join(
      " ",
    );
  expect(await verdicts("Read", (file_path) => ({ file_path }))).toBe("allow allow ask ask");
  expect(await verdicts("Grep", (path) => ({ pattern: "x", path }))).toBe("allow allow ask ask");
  expect(await verdicts("Bash", (path) => ({ command: `tail ${path}` }))).toBe(
    "allow allow ask ask",
  );
  expect(await at.verdict("Glob", { pattern: "*", path: results })).toBe("ask");
  await at.say("Read", { file_path: file, limit: 1 });
  expect(await at.verdict("Write", { file_path: file, content: "x" })).toBe("refuse");
  expect(await at.verdict("Bash", { command: `ls ${results}` })).toBe("ask");
});

test.skipIf(process.getuid?.() === 0)("what a closed folder holds is not guessed", async () => {
  const at = await open();
  chmodSync(dirname(at.put("closed/x", "")), 0);
  expect(await at.say("Read", { file_path: "closed/x" })).toContain("cannot be reached (EACCES)");
});
