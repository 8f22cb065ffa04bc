import { afterAll, expect, test } from "bun:test";
import { chmodSync, readFileSync, readdirSync, statSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { blockText } from "../../../src/protocol/block.ts";
import { leave, room } from "../room.ts";

afterAll(leave);

const edit = (old_string: string, new_string: string, more = {}) => ({
  file_path: "a.txt",
  old_string,
  new_string,
  ...more,
});

test("an edit changes its text and nothing else", async () => {
  const at = await room();
  const file = at.put("a.txt", "one\ntwo\nthree\n");
  chmodSync(file, 0o754);
  symlinkSync("a.txt", join(at.root, "link"));
  const outcome = await at.run("Edit", edit("two", "2", { file_path: "link" }));
  expect(readFileSync(file, "utf8")).toBe("one\n2\nthree\n");
  expect(statSync(file).mode & 0o777).toBe(0o754);
  expect(blockText(outcome.content)).toBe("Changed a.txt at line 2.");
  expect(outcome.diff).toContain("-two\n+2");
  expect(outcome.stamps).toEqual([expect.objectContaining({ path: file, does: "write" })]);
});

test.each<[string, (text: string) => Buffer<ArrayBuffer>]>([
  ["CRLF", (text) => Buffer.from(text.replaceAll("\n", "\r\n"))],
  ["a byte order mark", (text) => Buffer.from(`\uFEFF${text}`)],
  ["two byte order marks", (text) => Buffer.from(`\uFEFF\uFEFF${text}`)],
  ["UTF-16", (text) => Buffer.from(`\uFEFF${text}`, "utf16le")],
  ["Latin-1", (text) => Buffer.from(`grün\n${text}`, "latin1")],
  ["a byte order mark before Latin-1", (text) => Buffer.from(`ï»¿grün\n${text}`, "latin1")],
  ["mixed line endings", (text) => Buffer.from(`one\r\n${text}x\r\ny\n`)],
])("%s survives an edit", async (_, encoded) => {
  const at = await room();
  const file = at.put("a.txt", encoded("one\ntwo\nthree\n"));
  const outcome = await at.run("Edit", edit("two", "2\n2b"));
  expect(outcome.isError).toBeUndefined();
  expect(readFileSync(file)).toEqual(encoded("one\n2\n2b\nthree\n"));
});

test("a file of more than 32 MB is left to programs", async () => {
  const at = await room();
  const path = at.put("large", "");
  const edit = { file_path: "large", old_string: "a", new_string: "b" };
  truncateSync(path, 32 * 1024 ** 2);
  expect(await at.say("Edit", edit)).toContain("large is a binary file");
  truncateSync(path, 32 * 1024 ** 2 + 1);
  expect(await at.say("Edit", edit)).toContain("large has 33554433 bytes, too large to edit");
});

test("a text that occurs more than once is refused with its lines, or replaced everywhere", async () => {
  const at = await room();
  const file = at.put("a.txt", "x = 1\ny\nx = 1\n");
  const text = await at.say("Edit", edit("x = 1", "x = 2"));
  expect(text).toContain("2 times");
  expect(text).toContain("lines 1, 3");
  expect(readFileSync(file, "utf8")).toBe("x = 1\ny\nx = 1\n");
  await at.run("Edit", edit("x = 1", "$& $1", { replace_all: true }));
  expect(readFileSync(file, "utf8")).toBe("$& $1\ny\n$& $1\n");
  at.put("b.txt", "x\n".repeat(11));
  expect(await at.say("Edit", edit("x", "y", { file_path: "b.txt" }))).toContain(
    "occurs 11 times in b.txt (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)",
  );
  const all = edit("x", "y", { file_path: "b.txt", replace_all: true });
  expect(await at.say("Edit", all)).toBe("Changed b.txt at 11 places (lines 1, 2, 3, 4, 5, …).");
  at.put("c.txt", "x x\n");
  expect(await at.say("Edit", edit("x", "y", { file_path: "c.txt" }))).toContain(
    "occurs 2 times in c.txt (line 1)",
  );
});

const list = Array.from({ length: 14 }, (_, at) => `line ${at}`);
const closest = " The closest text is at line";
const none = " No line is similar; read the file again.";

test.each([
  [
    "function one() {\n\treturn 1;\n}\n",
    "function one() {\n  return 1;\n}",
    ` It differs only in whitespace.${closest} 1:\nfunction one() {\n\treturn 1;\n}`,
  ],
  ["\ncount(xyz)\n\n  count(xy)\nend\n", "count(x)\nd", `${closest} 4:\n  count(xy)\nend`],
  ["count(xy)\ncount(ab)\n", "\n\ncount(x)", `${closest} 1:\ncount(xy)\ncount(ab)\n`],
  [
    list.join("\n"),
    list.join("\n").replace("13", "x"),
    `${closest} 1:\n${list.slice(0, 12).join("\n")}`,
  ],
  ["abcdefghij", "abcdefwxyz", `${closest} 1:\nabcdefghij`],
  ["abcdefghij", "abcdevwxyz", none],
  ["x\n".repeat(19_999), "zz", none],
  ["x\n".repeat(20_000), "zz", ""],
  ["one\n", "     1\tone\n \n2→two", " Remove the line numbers from old_string."],
  ["one\n", "1\tone\ntwo", `${closest} 1:\none\n`],
])(
  "%#. a text that does not occur is refused, and the nearest lines are named",
  async (text, old, why) => {
    const at = await room();
    at.put("a.txt", text);
    expect(await at.say("Edit", edit(old, "y"))).toBe(`a.txt does not contain old_string.${why}`);
  },
);

test.each([
  ["x", "x", "old_string and new_string are the same."],
  [
    "x".repeat(200_001),
    "y",
    "old_string is too long; select less, or replace the file with Write.",
  ],
  ["x".repeat(200_000), "y", "Changed a.txt at line 1."],
])("%#. a long text, and one that stays the same", async (old, next, said) => {
  const at = await room();
  at.put("a.txt", "x".repeat(200_001));
  expect(await at.say("Edit", edit(old, next))).toBe(said);
});

test("a file that changed since it was read is not edited", async () => {
  const at = await room();
  at.put("a.txt", "one two");
  await at.say("Read", { file_path: "a.txt" });
  const file = at.put("a.txt", "one two three");
  expect(await at.say("Edit", edit("two", "2"))).toContain("changed on disk");
  expect(readFileSync(file, "utf8")).toBe("one two three");
  await at.say("Read", { file_path: "a.txt" });
  await at.run("Edit", edit("two", "2"));
  await at.run("Edit", edit("three", "3"));
  expect(readFileSync(file, "utf8")).toBe("one 2 3");
});

test("files read by an earlier run of the session are known", async () => {
  const first = await room();
  first.put("a.txt", "one");
  const { stamps } = await first.run("Read", { file_path: "a.txt" });
  const file = first.put("a.txt", "two");
  const at = await room({ workspace: first.root, known: stamps ?? [] });
  expect(await at.say("Write", { file_path: "a.txt", content: "x" })).toContain("changed on disk");
  expect(readFileSync(file, "utf8")).toBe("two");
});

test("a new file gets its folders; an existing one must have been read", async () => {
  const at = await room();
  const outcome = await at.run("Write", { file_path: "new/deep/a.txt", content: "one\n" });
  expect(blockText(outcome.content)).toContain("Created new/deep/a.txt (1 line, 4 bytes)");
  await at.run("Write", { file_path: "new/deep/a.txt", content: "two\n" });
  expect(readFileSync(join(at.root, "new/deep/a.txt"), "utf8")).toBe("two\n");
  const file = at.put("b.sh", "old");
  chmodSync(file, 0o755);
  expect(await at.say("Write", { file_path: "b.sh", content: "new" })).toContain("Read it first");
  expect(readFileSync(file, "utf8")).toBe("old");
  await at.say("Read", { file_path: "b.sh" });
  expect((await at.run("Write", { file_path: "b.sh", content: "old" })).diff).toBe("(no change)");
  const { content, diff } = await at.run("Write", { file_path: "b.sh", content: "new" });
  expect(blockText(content)).toBe("Replaced b.sh (1 line, 3 bytes).");
  expect(diff).toContain("-old");
  expect(statSync(file).mode & 0o777).toBe(0o755);
});

test("the question shows what would change in a file, or all of a new one", async () => {
  const at = await room();
  const question = async (content: string): Promise<string> => {
    const review = await at.review("Write", { file_path: "a.txt", content });
    return review.verdict === "ask" ? review.ask.detail : review.verdict;
  };
  expect(await question("one\n2\n")).toContain("+one\n+2");
  at.put("a.txt", "one\ntwo\n");
  await at.say("Read", { file_path: "a.txt" });
  expect(await question("one\n2\n")).toContain(" one\n-two\n+2");
  // Of a secret, not even whether it has the text.
  at.put(".env", "KEY=1");
  const secret = { file_path: ".env", old_string: "none", new_string: "" };
  expect(await at.review("Edit", secret)).toMatchObject({
    ask: { detail: JSON.stringify(secret, null, 2), detailKind: "text" },
  });
});

test("what was there before is kept first, so that a rewind can bring it back", async () => {
  const at = await room();
  const file = at.put("a.txt", "one");
  const changed = await at.run("Edit", edit("one", "two"));
  const [entry] = changed.checkpoint ?? [];
  expect(entry?.path).toBe(file);
  expect(at.kept.get(entry?.before ?? "")).toBe("one");
  expect(at.kept.get(entry?.after ?? "")).toBe("two");
  const created = await at.run("Write", { file_path: "b.txt", content: "b" });
  expect(created.checkpoint?.[0]?.before).toBeNull();
  expect((await at.run("Edit", edit("zzz", "y"))).checkpoint).toBeUndefined();
});

test("a failed write leaves the old file and no other", async () => {
  const at = await room();
  at.put("a.txt", "one");
  const outcome = await at.run("Write", { file_path: "a.txt/b.txt", content: "x" });
  expect(blockText(outcome.content)).toContain("could not be written");
  expect(await at.say("Write", { file_path: ".", content: "x" })).toContain(". is a folder");
  expect(outcome.checkpoint).toBeUndefined();
  expect(readdirSync(at.root)).toEqual(["a.txt"]);
});

test.each([
  ["Write", { file_path: "a.txt", content: "two" }],
  ["Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }],
])("%s changes nothing that cannot be saved first", async (name, input) => {
  const save = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
  const at = await room({ checkpoint: { save } });
  const file = at.put("a.txt", "one");
  await at.say("Read", { file_path: "a.txt" });
  expect(await at.say(name, input)).toContain("could not be saved for a rewind (ENOSPC)");
  expect(readFileSync(file, "utf8")).toBe("one");
});

test("a diff shows three lines around a change, unless the change is too large", async () => {
  const at = await room();
  at.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  expect((await at.run("Edit", edit("5", "five"))).diff).toBe(
    "--- a/a.txt\n+++ b/a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
  );
  at.put("a.txt", "a".repeat(1_500_000));
  await at.say("Read", { file_path: "a.txt" });
  const large = await at.run("Write", { file_path: "a.txt", content: "b".repeat(600_000) });
  expect(large.diff).toBe("a.txt: from 1500000 to 600000 characters; too large for a diff.");
});
