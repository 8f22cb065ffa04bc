/** What a screen reader is told, word by word. */

import { expect, test } from "bun:test";
import type { Fact } from "../../../src/protocol/entry.ts";
import { noPrice, say } from "../../context/build.ts";
import { answer, freeCut } from "../../facts.ts";
import { openScripted } from "../scripted.ts";

const numbers = (count: number): string =>
  Array.from({ length: count }, (_, n) => `row ${n + 1}`).join("\n");

const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 };

const said = (words: string): Fact => answer(usage, [say(words)]);

/** What is said of a session when it is resumed. */
async function greeting(...history: Fact[]): Promise<string> {
  const terminal = await openScripted(
    { history, settings: { screenReader: true } },
    { rows: 60, wanted: "is ready" },
  );
  const shown = terminal.screen();
  await terminal.close();
  return shown;
}

test("of a session that is resumed, its last six entries are said", async () => {
  const shown = await greeting(
    ...["1", "2", "3", "4", "5", "6", "7"].map((n) => said(`said ${n}`)),
  );
  expect(shown).not.toContain("said 1");
  expect(shown).toContain("said 2");
});

test("output of more than twelve lines is cut", async () => {
  const shell = (count: number): Fact => ({
    type: "context",
    kind: "shell",
    title: "ls",
    content: [say(numbers(count))],
  });
  const shown = await greeting(shell(12));
  expect(shown).toMatch(/Output of ls:\n *row 1\n[^]*row 12\n/);
  expect(shown).not.toContain("more line");
  expect(await greeting(shell(13))).toMatch(/row 12\n *And 1 more line\./);
});

test("code fences, notes, models and cuts are said in words", async () => {
  const price = { ...noPrice, usedBefore: 5_000, usedAfter: 1_000, usd: 0.01 };
  const shown = await greeting(
    said("Look:\n```ts\nlet a;\n```\nDone."),
    { type: "note", kind: "warning", text: "careful" },
    { type: "note", kind: "title", text: "never said" },
    { type: "model", model: "another" },
    freeCut({ tier: "microcompact", price }),
  );
  expect(shown).toMatch(/Agent says:\n *Look:\n *Code, ts:\n *let a;\n *End of code\.\n *Done\./);
  expect(shown).toContain("Note, warning: careful");
  expect(shown).not.toContain("never said");
  expect(shown).toContain("The model is now another.");
  expect(shown).toMatch(/Compaction, \w+: 4\.0k tokens freed, \$0\.01\. Type \/undo-compact/);
});

test("a message without words, a rewind, and what is undone and redone, are said, too", async () => {
  const source = { type: "base64", media_type: "image/png", data: "AA==" } as const;
  const shown = await greeting(
    { type: "user", content: [{ type: "image", source }] },
    { type: "head", why: "rewind" },
    { type: "restore", cut: "e1", price: noPrice },
    { type: "restore", cut: "e1", redo: true, price: noPrice },
  );
  expect(shown).toContain("You said: an image");
  expect(shown).toContain("Rewound to an earlier message.");
  expect(shown).toMatch(/A compaction was undone\.\n *A compaction was redone\./);
});

test("retries and queued messages are said, and that a turn was stopped", async () => {
  const settings = { screenReader: true };
  const terminal = await openScripted({ settings }, { rows: 60, wanted: "is ready" });
  await terminal.send("live", "Retry 1 of 3 in 60 seconds: live");
  expect(terminal.screen()).toContain("Queued messages: 1.");
  await terminal.send("\x1b[27u", "Stopped.");
});
