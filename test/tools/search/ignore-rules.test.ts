import { afterAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import ignore from "ignore";
import fc from "../../properties.ts";
import { isIgnoredBy, readRules } from "../../../src/tools/search/ignore-rules.ts";
import { leave, room, temporaryFolder } from "../room.ts";

afterAll(leave);

const name = fc.constantFrom(
  "a",
  "b",
  "ab",
  "a.log",
  "b.log",
  "x#y",
  "a b",
  "[a]",
  "!a",
  "ä",
  "a]",
);
const glob = fc.constantFrom(
  "*",
  "**",
  "***",
  "*.log",
  "a*",
  "*b",
  "?",
  "[ab]",
  "[!a]",
  "[a-b].log",
  "[",
  "a[b",
  "{a,b}",
  "\\#x",
  "\\!a",
  "a\\ ",
  "ab  ",
  "a.log\r",
);
const rule = fc
  .record({
    negated: fc.boolean(),
    rooted: fc.boolean(),
    parts: fc.array(fc.oneof(name, glob), { minLength: 1, maxLength: 3 }),
    isFolder: fc.boolean(),
  })
  .map(
    ({ negated, rooted, parts, isFolder }) =>
      `${negated ? "!" : ""}${rooted ? "/" : ""}${parts.join("/")}${isFolder ? "/" : ""}`,
  );
const text = fc.array(fc.oneof(rule, fc.constantFrom("", "# a", " ")), { maxLength: 4 });
const way = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));

test("the prefilter gives the same result as testing every rule", async () => {
  const folder = temporaryFolder();
  await fc.assert(
    fc.asyncProperty(text, way, fc.boolean(), async (lines, path, isFolder) => {
      const all = ignore({ ignoreCase: false }).add(lines.join("\n"));
      const parents = path.split("/").map((_, at, parts) => `${parts.slice(0, at).join("/")}/`);
      // Files in an ignored folder are not requested.
      fc.pre(!parents.slice(1).some((parent) => all.ignores(parent)));
      writeFileSync(join(folder, ".gitignore"), lines.join("\n"));
      const rules = await readRules(folder);
      expect(rules).not.toBeNull();
      if (!rules) return;
      const { ignored, unignored } = all.test(isFolder ? `${path}/` : path);
      expect(isIgnoredBy(rules, basename(path), path, isFolder)).toBe(
        ignored ? true : unignored ? false : null,
      );
    }),
    { numRuns: 1_000 },
  );
});

test("the rules of an inner .gitignore come before those of the outer ones", async () => {
  const at = await room();
  mkdirSync(join(at.root, ".git"));
  at.put(".gitignore", "*.log\n/only-here.txt\n");
  at.put("only-here.txt", "");
  at.put("inner/.gitignore", "!kept.log\n");
  at.put("inner/kept.log", "");
  at.put("inner/other.log", "");
  at.put("inner/only-here.txt", "");
  expect(await at.say("Glob", { pattern: "**/*" })).toBe("inner/kept.log\ninner/only-here.txt");
});
