/** The documents name files that exist, and the wording stays plain. */

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dir, "..");
const documents = [
  "README.md",
  "test/lab/bench/README.md",
  ...new Bun.Glob("src/**/*.md").scanSync(root),
].filter((file) => !file.includes("/prompts/"));

const readText = (file: string): Promise<string> => Bun.file(join(root, file)).text();

/** Paths in code spans and links, with an extension of a source file or a slash at the end. */
const pathPattern = /`([\w./-]+(?:\.(?:tsx?|svg)|\/))`|\]\(([\w./-]+)\)/g;

test("every file that a document names exists", async () => {
  const missing: string[] = [];
  for (const file of documents) {
    const folder = dirname(file);
    const places = [folder, ".", "src", "test", join("test", relative("src", folder))];
    for (const [, span, link] of (await readText(file)).matchAll(pathPattern)) {
      const path = span ?? link ?? "";
      const isOurs = !path.startsWith("/") && !path.startsWith("~");
      if (isOurs && !found(places, path)) missing.push(`${file}: ${path}`);
    }
  }
  expect(missing).toEqual([]);
});

/** A name without a folder may be a file of any folder below the document's. */
function found(places: readonly string[], path: string): boolean {
  if (places.some((place) => existsSync(join(root, place, path)))) return true;
  const [first = ""] = places;
  return (
    new Bun.Glob(`${first}/**/${path.replace(/\/$/, "")}`)
      .scanSync({
        cwd: root,
        onlyFiles: false,
      })
      .next().value !== undefined
  );
}

test("every room has a README, or is described in that of src", async () => {
  const overview = await readText("src/README.md");
  const modules = [...new Bun.Glob("src/*/").scanSync({ cwd: root, onlyFiles: false })];
  const undescribed = modules
    .map((path) => relative("src", path))
    .filter((name) => !name.includes(".") && !overview.includes(name));
  expect(undescribed).toEqual([]);
});

/** Phrases that read as translated, and what to write instead. */
const phrases: [phrase: RegExp, instead: string][] = [
  [/\banew\b/i, "again"],
  [/\bgo(es|ing)? on with\b/i, "continue, resume"],
  [/\bgone on with\b/i, "resumed"],
  [/\b(of|by) (yours|ours)\b/i, "your, our"],
  [/\bgives? way to\b/i, "be replaced by"],
  [/\bforet(el|ol)/i, "estimate"],
  [/\bwho listens\b/i, "screen-reader users"],
  [/\bpassed over\b/i, "ignored, skipped"],
  [/\ba message a line\b/i, "one message per line"],
  [/\bearns its place\b/i, "why it is here"],
  [/\bstands? in (it|the way|its place)\b/i, "is in, occurs"],
  [/\bwrong use\b/i, "usage error"],
  [/\bthe person'?s?\b/i, "the user"],
  [/\bin words like these\b/i, "for example"],
  [/\bbroken off\b/i, "interrupted"],
  [/\bnobody else knows\b/i, "cannot be detected"],
  [/\balso (when|where|while|if)\b/i, "even"],
  [/\bsomething else than\b/i, "something other than"],
  [/\b(after|at most|up to) so (long|many|much)\b/i, "this long, `count`"],
  [/\bto be called (once|when|before)\b/i, "call it"],
  [/\bknown of\b/i, "known about"],
  [/\bin sight\b/i, "visible"],
  [/\ba say in\b/i, "influence"],
  [/\bobey(s|ed)?\b/i, "follow, run"],
  [/summaris|sanitis|catalogu|neighbour|[^-]\bcolour(?!-blind)/i, "the American spelling"],
];

test("phrases that were replaced do not come back", async () => {
  const sources = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(root)];
  const files = [...documents, ...sources];
  const used: string[] = [];
  for (const file of files) {
    const lines = (await readText(file)).split("\n");
    for (const [index, line] of lines.entries()) {
      for (const [phrase, instead] of phrases)
        if (phrase.test(line)) used.push(`${file}:${index + 1}: ${phrase} (${instead})`);
    }
  }
  expect(used).toEqual([]);
});
