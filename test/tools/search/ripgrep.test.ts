/** What ripgrep gets to search, and what is read from its output. */

import { linkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import type { FileRun, SearchQuery } from "../../../src/tools/search/query.ts";
import { batchesOf, findRipgrep, searchWith } from "../../../src/tools/search/ripgrep.ts";
import { leave, room } from "../room.ts";

afterAll(leave);

const queryFor = (folder: string, runs: readonly FileRun[]): SearchQuery => ({
  pattern: "needle",
  ignoreCase: false,
  multiline: false,
  before: 0,
  after: 0,
  folder,
  files: (async function* () {
    yield* runs;
  })(),
  hidden: false,
  onlyNames: false,
  linesWanted: () => 1,
  signal: new AbortController().signal,
});

const batchesFor = (runs: readonly FileRun[]): Promise<string[][]> =>
  Array.fromAsync(batchesOf(queryFor("/w", runs)), ({ ways }) => ways);

const manyNames = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, n) => `${n}`.padStart(length, "0"));

test("a folder that holds nothing else is given instead of its files", async () => {
  const batches = await batchesFor([
    { folder: "/w", names: ["-", "a"], isWhole: false },
    { folder: "/w/b", names: ["a", "b"], isWhole: true },
    { folder: "/w/b/c", names: ["a"], isWhole: false },
  ]);
  expect(batches).toEqual([["./-", "./a", "./b", "./b/c/a"]]);
  expect(await batchesFor([{ folder: "/w", names: ["a"], isWhole: true }])).toEqual([["."]]);
});

test("a process gets no more arguments than the system accepts, all in order", async () => {
  for (const isWhole of [true, false]) {
    const names = manyNames(9_000, 200);
    const batches = await batchesFor([{ folder: "/w", names, isWhole }]);
    expect(batches.flat()).toEqual(names.map((name) => `./${name}`));
    for (const ways of batches) expect(ways.join(" ").length).toBeLessThan(300_000);
  }
});

test("the files of large trees are shared among processes", async () => {
  const runs = manyNames(400, 3).map((name) => ({
    folder: `/w/${name}`,
    names: manyNames(100, 4),
    isWhole: true,
  }));
  const batches = await batchesFor(runs);
  expect(batches.flat()).toEqual(runs.map(({ folder }) => `.${folder.slice(2)}`));
  // For 100 files each.
  expect(batches.map((ways) => ways.length)).toEqual([3, 5, 10, 20, 40, 80, 80, 80, 80, 2]);
});

test("more files than fit on a command line are all searched, in order", async () => {
  const at = await room();
  const names = Array.from({ length: 700 }, (_, n) => `${"long".repeat(25)}${1_000 + n}.txt`);
  for (const [n, name] of names.entries()) at.put(name, n % 7 === 0 ? "needle" : "");
  const found = await at.say("Grep", { pattern: "needle" });
  expect(found.split("\n")).toEqual(names.filter((_, n) => n % 7 === 0));
});

test("where ripgrep does not run, the model is told what serves instead", async () => {
  const at = await room();
  at.put("a.txt", "needle\n");
  const runs = [{ folder: at.root, names: ["a.txt"], isWhole: true }];
  const found = searchWith(join(at.root, "no-rg"))(queryFor(at.root, runs));
  expect(Array.fromAsync(found)).rejects.toThrow("use Bash with grep");
});

describe("ripgrep is given a folder instead of its files", () => {
  test("but files added to it meanwhile are not shown", async () => {
    const at = await room();
    const known = at.put("a.txt", "needle");
    at.put("key.pem", "needle");
    at.put("deeper/b.txt", "needle");
    const runs = [{ folder: at.root, names: ["a.txt"], isWhole: true }];
    const found = searchWith(findRipgrep() ?? "")(queryFor(at.root, runs));
    expect(await Array.fromAsync(found, ({ path }) => path)).toEqual([known]);
  });

  test("and answers in the order of the whole tree", async () => {
    const at = await room();
    const files = [
      "B.txt",
      "a.txt",
      "b/a.txt",
      "b/b.txt",
      "b/c/a.txt",
      "c.txt",
      "d/a.txt",
      "d/b/a.txt",
      "d/c.txt",
      "é.txt",
      "\ufb00.txt",
      "😀.txt",
    ];
    for (const file of files) at.put(file, "needle");
    const found = await at.say("Grep", { pattern: "needle" });
    expect(found.split("\n")).toEqual(files);
  });

  test("with hidden files only if they were requested", async () => {
    const at = await room();
    at.put(".a.txt", "needle");
    at.put("b.txt", "needle");
    expect(await at.say("Grep", { pattern: "needle" })).toBe("b.txt");
    expect(await at.say("Grep", { pattern: "needle", glob: "{.,}*.txt" })).toBe(".a.txt\nb.txt");
  });
});

test("file names are never options, nor the standard input", async () => {
  const at = await room();
  const names = ["-", "--files", "-e", "a.txt"];
  for (const name of names) at.put(name, "needle");
  at.put("key.pem", "needle");
  expect((await at.say("Grep", { pattern: "needle" })).split("\n")).toEqual(names);
});

test("a folder with more files than one process is given is searched whole, in order", async () => {
  const at = await room();
  const names = Array.from({ length: 8_100 }, (_, n) => `${1_000_000 + n}.txt`);
  const texts = [at.put("other/with", "needle"), at.put("other/without", "")] as const;
  at.put(".gitignore", "other\n");
  for (const [n, name] of names.entries())
    linkSync(texts[n % 2_000 < 2 ? 0 : 1], join(at.root, name));
  const found = await at.say("Grep", { pattern: "needle" });
  expect(found.split("\n")).toEqual(names.filter((_, n) => n % 2_000 < 2));
});

test("there is more than is shown, in whole folders and in named files", async () => {
  const at = await room();
  for (let n = 0; n < 1_000; n++)
    at.put(
      `${n % 2 === 0 ? "even" : "odd"}/${10_000 + n}.txt`,
      n % 3 === 0 ? "needle\n\nneedle" : "",
    );
  at.put("odd/.gitignore", "10001.txt\n");
  at.put("odd/binary.txt", "needle\0");
  for (const output_mode of ["content", "count", "files_with_matches"]) {
    const query = { pattern: "needle", output_mode, head_limit: 5 };
    const found = await at.say("Grep", query);
    expect(found.split("\n")).toHaveLength(6);
    expect(found).toEndWith("[There is more. Narrow the search, or set head_limit.]");
  }
});

test("a name that is not UTF-8 is left out, one with a line break is not", async () => {
  const at = await room();
  at.put("1\n2\ufffd.txt", "needle");
  writeFileSync(Buffer.concat([Buffer.from(join(at.root, "x")), Buffer.from([0xff])]), "needle");
  for (const glob of ["*", "[!z]*"])
    expect(await at.say("Grep", { pattern: "needle", glob })).toBe('"1\\n2\ufffd.txt"');
});

describe("a large file does not use up the memory or the time of the others,", () => {
  test("even if it is one line", async () => {
    const at = await room();
    at.put("a.txt", "needle");
    at.put("large.txt", Buffer.alloc(200 * 1024 * 1024, "needle "));
    at.put("z.txt", "needle");
    for (const output_mode of ["content", "files_with_matches"]) {
      const found = await at.say("Grep", { pattern: "needle", output_mode, "-n": false });
      expect(found.replaceAll(":needle", "")).toBe("a.txt\nz.txt");
    }
  });

  test("even if it is endless and named", async () => {
    const at = await room();
    at.put("a.txt", "needle");
    // If a file is left out, the others are passed by name.
    at.put("key.pem", "needle");
    truncateSync(at.put("large.txt", "needle\n"), 2 ** 40);
    expect(await at.say("Grep", { pattern: "needle" })).toBe("a.txt");
  });
});
