/** The offline model over a session: follow-ups, edits, compaction. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { teaTimer } from "./projects.ts";
import { openSession } from "./session.ts";

test("a follow-up refers to the last answer", async () => {
  await using session = await openSession(teaTimer);
  await session.ask("where is the brew time computed?");
  expect((await session.ask("explain it")).text).toContain("**`src/brew.ts`**, 10 lines");
  expect((await session.ask("read that file")).text).toContain("6  export function brewSeconds");
  expect((await session.ask("what did I ask first?")).text).toBe(
    "You asked:\n1. where is the brew time computed?",
  );
});

test("exact edits are made, and its advice works", async () => {
  await using session = await openSession({ "notes.txt": "one\ntwo two\nthree\n" });
  const read = (): Promise<string> => Bun.file(join(session.folder, "notes.txt")).text();
  const refused = await session.ask('replace "two" with "zwei" in notes.txt');
  expect(refused.text).toContain("occurs 2 times");
  const advice = /say: (.+)$/m.exec(refused.text)?.[1] ?? "";
  expect((await session.ask(advice)).text).toBe(
    "Done: `notes.txt` is changed in 2 places (`notes.txt:2`).",
  );
  expect(await read()).toBe("one\nzwei zwei\nthree\n");
  expect((await session.ask('append "four $&" to notes.txt')).text).toContain("is changed");
  expect(await read()).toBe("one\nzwei zwei\nthree\nfour $&\n");
  await session.ask('delete "zwei " from notes.txt');
  expect(await read()).toBe("one\nzwei\nthree\nfour $&\n");
  expect((await session.ask('create new/a.txt with "alpha"')).text).toContain("is created");
  expect(await Bun.file(join(session.folder, "new/a.txt")).text()).toBe("alpha\n");
  expect((await session.ask('replace "ten" with "x" in notes.txt')).text).toContain(
    "was not changed",
  );
  expect((await session.ask('replace "a" with "x" in none.txt')).text).toContain(
    "I can't read `none.txt`",
  );
});

test("a declined call changes nothing, and the reason is repeated", async () => {
  const permission = { allow: false, reason: "leave it" } as const;
  await using session = await openSession({ "notes.txt": "one\n" }, { permission });
  const { text } = await session.ask('replace "one" with "two" in notes.txt');
  expect(text).toBe("The Edit call was denied and did not run: “leave it”");
  expect(await Bun.file(join(session.folder, "notes.txt")).text()).toBe("one\n");
});

test("a question that is asked while another is answered gets its answer after it", async () => {
  await using session = await openSession(teaTimer);
  const { text } = await session.ask("where is showPanel?", { meanwhile: "what version is this?" });
  expect(text).toMatch(/^\*\*`src\/view\/timer-panel\.ts:2`\*\*/);
  expect(text).toContain("**what version is this?**\n\n`1.2.0` (`package.json:3`)");
  expect((await session.ask("what did I ask first?")).text).toContain("1. where is showPanel?");
});

test("a list of requests is worked through, each with its answer", async () => {
  await using session = await openSession(teaTimer, { mode: "bypass" });
  const { text } = await session.ask("1. read src/cli.ts\n2. dance\n3. run `echo hi`");
  expect(text).toContain("**dance**\n\nI can't do that");
  expect(text).toContain("**run `echo hi`**\n\n`echo hi` succeeded");
});

test("no question fills much of the window, however large the project", async () => {
  const lines = (n: number): string =>
    `export const value${n} = "words of a large file";\n`.repeat(2_000);
  const large = Array.from({ length: 600 }, (_, n) => [
    `src/part${n % 20}/file${n}.ts`,
    "// TODO\n",
  ]);
  await using session = await openSession({
    ...teaTimer,
    "src/large.ts": lines(1),
    ...Object.fromEntries(large),
  });
  const most = 32_000 / 4;
  for (const question of [
    "what is this project?",
    "explain src/large.ts",
    "read src/large.ts",
    "are there any TODOs?",
    "how many lines of code?",
    "where is value1?",
  ])
    expect((await session.ask(question)).tokens, question).toBeLessThan(most);
});

test("after a compaction it still knows what was asked, read and found", async () => {
  await using session = await openSession(teaTimer);
  await session.ask("explain src/brew.ts");
  await session.ask("run the tests");
  await session.ask("where is showPanel?");
  await session.send({ type: "compact", how: "summarize", trigger: "command" });
  const summary = JSON.stringify(session.log.path.filter(({ type }) => type === "cut"));
  for (const part of ["explain src/brew.ts", "src/brew.ts", "3 passed, 0 failed"])
    expect(summary).toContain(part);
  expect(session.log.path.some(({ type }) => type === "attempt")).toBe(false);
  expect((await session.ask("what did I ask first?")).text).toContain("1. explain src/brew.ts");
  expect((await session.ask("how many lines of code?")).text).toContain("19 lines");
});

test("a session continues when its window is full", async () => {
  await using session = await openSession(teaTimer, { windowTokens: 30_000, mode: "bypass" });
  for (let n = 0; n < 12; n++) {
    const { text } = await session.ask(`run seq ${n} 5000`);
    expect(text).toContain("5000");
  }
  expect(session.log.path.some(({ type }) => type === "cut")).toBe(true);
});
