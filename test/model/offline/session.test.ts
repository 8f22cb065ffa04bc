/** The offline model over a session: follow-ups, edits, compaction. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { teaTimer } from "./projects.ts";
import { offlineSessions } from "./session.ts";

const openSession = offlineSessions();

test("exact edits are made, and its advice works", async () => {
  await using session = await openSession({ "notes.txt": "one\ntwo two\nthree\n" });
  const read = (): Promise<string> => Bun.file(join(session.folder, "notes.txt")).text();
  const refused = await session.ask('replace "two" with "zwei" in notes.txt');
  expect(refused.text).toContain("occurs 2 times");
  const advice = /say: (.+)$/m.exec(refused.text)?.[1] ?? "";
  expect((await session.ask(advice)).text).toBe("Done: Changed notes.txt at 2 places (line 2).");
  expect(await read()).toBe("one\nzwei zwei\nthree\n");
  expect((await session.ask('replace "ten" with "x" in notes.txt')).text).toContain(
    "was not changed",
  );
  expect((await session.ask('replace "a" with "x" in none.txt')).text).toContain(
    "I can't read `none.txt`",
  );
});

test("a compaction keeps what was asked", async () => {
  await using session = await openSession(teaTimer);
  await session.ask("read src/brew.ts");
  await session.ask("run the tests");
  await session.ask("where is showPanel?");
  await session.send({ type: "compact", how: "summarize", trigger: "command" });
  const summary = JSON.stringify(session.log.path.filter(({ type }) => type === "cut"));
  for (const part of ["read src/brew.ts", "run the tests"]) expect(summary).toContain(part);
  expect(session.log.path.some(({ type }) => type === "attempt")).toBe(false);
  expect((await session.ask("read src/brew.ts")).text).toContain("`src/brew.ts:1`");
});
