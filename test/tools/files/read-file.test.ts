import { afterAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { truncateSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { blockText } from "../../../src/protocol/block.ts";
import { leave, room } from "../room.ts";

afterAll(leave);

const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");

test("lines are numbered from 1; a last line break opens no line", async () => {
  const at = await room();
  at.put("a.txt", "one\n\ntwo\n");
  symlinkSync("a.txt", join(at.root, "link.txt"));
  for (const file_path of ["a.txt", "link.txt"])
    expect(await at.say("Read", { file_path })).toBe("     1\tone\n     2\t\n     3\ttwo");
  at.put("b.txt", "one\r\ntwo\r\n");
  expect(await at.say("Read", { file_path: "b.txt" })).toBe("     1\tone\n     2\ttwo");
  at.put("empty.txt", "");
  expect(await at.say("Read", { file_path: "empty.txt" })).toBe("[The file is empty.]");
});

test("the manual is read like a file, in every mode; an unknown topic lists those that exist", async () => {
  const at = await room({ mode: "plan" });
  expect(await at.say("Read", { file_path: "mini-claude:help" })).toContain("- context: How the");
  const topic = await at.say("Read", { file_path: "mini-claude:help/context" });
  expect(topic).toContain("## What survives compaction");
  const unknown = await at.say("Read", { file_path: "mini-claude:help/contxt" });
  expect(unknown).toContain("did you mean context? The topics: start,");
});

test("offset and limit choose, and the stamp says which lines were shown", async () => {
  const at = await room();
  at.put("a.txt", numbered(50));
  const outcome = await at.run("Read", { file_path: "a.txt", offset: 10, limit: 2 });
  expect(blockText(outcome.content)).toBe(
    "    10\tline 10\n    11\tline 11\n[Lines 10-11 of 50. Continue with offset 12.]",
  );
  expect(outcome.stamps).toEqual([
    expect.objectContaining({ path: join(at.root, "a.txt"), does: "read", lines: [10, 11] }),
  ]);
  const whole = await at.run("Read", { file_path: "a.txt" });
  expect(whole.stamps?.[0]).not.toHaveProperty("lines");
  expect(await at.say("Read", { file_path: "a.txt", offset: 99 })).toContain("has 50 lines");
  at.put("a.txt", "x\n".repeat(2_001));
  expect(await at.say("Read", { file_path: "a.txt" })).toContain(
    "[Lines 1-2000 of 2001. Continue with offset 2001.]",
  );
});

test("an endless line is cut and says so", async () => {
  const at = await room();
  at.put("a.txt", `${"x".repeat(20_001)}\nend`);
  const { content, stamps } = await at.run("Read", { file_path: "a.txt" });
  const text = blockText(content);
  expect(stamps?.[0]?.lines).toEqual([1, 2]);
  expect(text).toContain("[line cut here; column 2001 continues it]");
  const rest = await at.say("Read", { file_path: "a.txt", limit: 1, column: 2_001 });
  expect(rest).toStartWith(`     1\t${"x".repeat(18_001)}\n`);
  const whole = await at.say("Read", { file_path: "a.txt", limit: 1 });
  expect(whole).toStartWith(`     1\t${"x".repeat(20_000)} [line cut here; column 20001 `);
  expect(text).toContain("     2\tend");
  at.put("wide.txt", `${"汉".repeat(20_000)}\n`.repeat(2));
  const wide = await at.say("Read", { file_path: "wide.txt", column: 2 });
  expect(wide).toEndWith("汉\n[Lines 1-1 of 2. Continue with offset 2.]");
  expect(text.length).toBeLessThan(2_200);
});

test("a page ends at the first line that does not fit", async () => {
  const at = await room();
  const lines = [...Array.from({ length: 13 }, () => "x".repeat(1_990)), "y".repeat(1_990), "z"];
  at.put("a.txt", lines.join("\n"));
  const text = await at.say("Read", { file_path: "a.txt" });
  expect(text).toContain("[Lines 1-13 of 15. Continue with offset 14.]");
  expect(text).not.toContain("\tz");
  // 27,648 bytes exactly, with its number and its line break.
  lines[13] = "é".repeat(833);
  at.put("a.txt", lines.join("\n"));
  expect(await at.say("Read", { file_path: "a.txt" })).toContain("[Lines 1-14 of 15.");
});

test("a large file is paged without being loaded", async () => {
  const at = await room();
  const lines = 1_000_000;
  at.put("huge.txt", `${"x".repeat(99)}\n`.repeat(lines));
  // Only memory in use counts, not memory that waits to be collected.
  Bun.gc(true);
  const before = process.memoryUsage().heapUsed;
  const start = await at.say("Read", { file_path: "huge.txt", limit: 2 });
  const text = "x".repeat(99);
  expect(start).toBe(`     1\t${text}\n     2\t${text}\n[Lines 1-2. Continue with offset 3.]`);
  const end = await at.say("Read", { file_path: "huge.txt", offset: lines });
  expect(end).toBe(`${lines}\t${text}\n[End of the file.]`);
  Bun.gc(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20 * 1024 ** 2);
});

test.each([
  ["null.bin", "binary"],
  ["huge.txt", "binary"],
  ["odd.txt", "binary"],
  ["folder", "is a folder"],
  ["pipe", "pipe, socket or device"],
  ["socket", "pipe, socket or device"],
  ["/dev/zero", "pipe, socket or device"],
  ["READM.md", "README.md"],
  ["readme.txt", "README.md"],
  ["README.md/x", "does not exist"],
])("%s is refused: %s", async (path, word) => {
  const at = await room();
  at.put("null.bin", "a\0b");
  truncateSync(at.put("huge.txt", "text"), 1024 ** 3);
  at.put("odd.txt", Buffer.from([0xff, 0xfe, 0x41]));
  at.put("folder/x", "");
  at.put("README.md", "");
  execFileSync("mkfifo", [join(at.root, "pipe")]);
  Bun.listen({ unix: join(at.root, "socket"), socket: { data() {} } }).unref();
  const outcome = await at.run("Read", { file_path: path });
  expect(outcome.isError).toBe(true);
  expect(blockText(outcome.content)).toContain(word);
  const change = { file_path: path, old_string: "a", new_string: "b" };
  expect((await at.run("Edit", change)).isError).toBe(true);
});

test("a change by another program since the last read is reported", async () => {
  const at = await room();
  at.put("a.txt", "one");
  await at.say("Read", { file_path: "a.txt" });
  expect(await at.say("Read", { file_path: "a.txt" })).toBe("     1\tone");
  at.put("a.txt", "two");
  expect(await at.say("Read", { file_path: "a.txt" })).toContain(
    "changed on disk since you last saw it",
  );
  expect(await at.say("Read", { file_path: "a.txt" })).toBe("     1\ttwo");
});

test.each([
  ["a letter is wrong", "confg.ts", ["config.ts", "other.ts"], ["config.ts"]],
  ["the case differs", "README.MD", ["readme.md", "main.md"], ["readme.md"]],
  ["the extension is another", "a.json", ["a.configuration", "b.yaml"], ["a.configuration"]],
  ["nothing is similar", "config.ts", ["main.rs", "b.txt"], []],
  ["names without a stem are similar only by letters", ".env", [".gitignore", ".envs"], [".envs"]],
  ["it is too different for its length", "main.ts", ["mind.rs"], []],
  ["a third differs", "abcdefgh.txt", ["abcdwxyz.txt", "abcvwxyz.txt"], ["abcdwxyz.txt"]],
  [
    "more than three are similar",
    "file5.ts",
    ["file4.ts", "file3.ts", "file5.js", "file2.ts", "file34.ts"],
    ["file5.js", "file2.ts", "file3.ts"],
  ],
])(
  "of a file that does not exist similar ones are named, when %s",
  async (_, wanted, there, proposed) => {
    const at = await room();
    for (const name of there) at.put(`src/${name}`, "");
    const near = proposed.map((name) => join(at.root, "src", name)).join(" or ");
    expect(await at.say("Read", { file_path: `src/${wanted}` })).toBe(
      `src/${wanted} does not exist.${near && ` Did you mean ${near}?`}`,
    );
  },
);
