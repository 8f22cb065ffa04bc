/** The files that searches find with ripgrep, and their order. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { leave, room } from "../room.ts";

afterAll(leave);

describe("files are found", () => {
  test.concurrent("in the order of the whole tree, folder by folder", async () => {
    const at = await room();
    const files = [
      "B.txt",
      "a/b.txt",
      "a-b/a.txt",
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

  test.concurrent("with hidden files only if they were requested", async () => {
    const at = await room();
    at.put(".a.txt", "needle");
    at.put("b.txt", "needle");
    expect(await at.say("Grep", { pattern: "needle" })).toBe("b.txt");
    expect(await at.say("Grep", { pattern: "needle", glob: "{.,}*.txt" })).toBe(".a.txt\nb.txt");
  });
});

test.concurrent("file names are never options, nor the standard input", async () => {
  const at = await room();
  const names = ["-", "--files", "-e", "a.txt"];
  for (const name of names) at.put(name, "needle");
  at.put("key.pem", "needle");
  expect((await at.say("Grep", { pattern: "needle" })).split("\n")).toEqual(names);
});

test.concurrent("there is more than is shown", async () => {
  const at = await room();
  for (let n = 0; n < 60; n++)
    at.put(`${n % 2 === 0 ? "even" : "odd"}/${100 + n}.txt`, n % 3 === 0 ? "needle\n\nneedle" : "");
  at.put("odd/.gitignore", "101.txt\n");
  at.put("odd/binary.txt", "needle\0");
  for (const output_mode of ["content", "count", "files_with_matches"]) {
    const query = { pattern: "needle", output_mode, head_limit: 5 };
    const found = await at.say("Grep", query);
    expect(found.split("\n")).toHaveLength(6);
    expect(found).toEndWith("[There is more. Narrow the search, or set head_limit.]");
  }
});

test.concurrent("a name that is not UTF-8 is left out, one with a line break is not", async () => {
  const at = await room();
  at.put("1\n2\ufffd.txt", "needle");
  writeFileSync(Buffer.concat([Buffer.from(join(at.root, "x")), Buffer.from([0xff])]), "needle");
  for (const glob of ["*", "[!z]*"])
    expect(await at.say("Grep", { pattern: "needle", glob })).toBe('"1\\n2\ufffd.txt"');
});
