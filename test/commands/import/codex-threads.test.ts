/** Conversations of Codex that are spread over several files, or archived. */

import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import type { Entry } from "../../../src/protocol/entry.ts";
import { CodexSession } from "./codex-lines.ts";
import { importFile, inShort, findPath, sent } from "./read.ts";
import { testFolder } from "../../folder.ts";

const folder = testFolder("codex");

let homes = 0;

/** The folder of Codex's files, in which sessions are written as files. */
class Home {
  readonly path = join(folder, String(homes++));
  #minute = 0;

  /** Returns the file's path. `ordinal`: the number of the first line. */
  write(session: CodexSession, ordinal: number, meta: object = {}, name = "", in_ = "sessions") {
    const minute = String(this.#minute++).padStart(2, "0");
    const lines = session.lines.map((line, at) => {
      const timestamp = `2026-11-21T10:${minute}:${String(at % 60).padStart(2, "0")}Z`;
      const payload =
        at === 0 ? { ...Object(line["payload"]), ...meta, timestamp } : line["payload"];
      return `${JSON.stringify({ ...line, timestamp, ordinal: ordinal + at, payload })}\n`;
    });
    const day = in_ === "sessions" ? join(this.path, in_, "2026/11/21") : join(this.path, in_);
    mkdirSync(day, { recursive: true });
    const file = join(day, `rollout-2026-11-21T10-${minute}-00-${name}.jsonl`);
    writeFileSync(file, lines.join(""));
    return file;
  }
}

const thread = "0199aaaa-thread";
const fork = "0199bbbb-fork";

function conversation(id: string, ...words: string[]): CodexSession {
  const session = new CodexSession(id);
  for (const one of words) {
    session.user(one);
    session.answer(`to ${one}`);
  }
  return session;
}

/** Each turn of `conversation` has three lines, after the header. */
const turnStart = (turn: number): number => 1 + turn * 3;

const read = (file: string): Entry[] => {
  const entries = importFile(file);
  if (!entries) throw new Error("No session was found.");
  sent(entries);
  return entries;
};

const typed = (entries: readonly Entry[]): string[] =>
  inShort(entries).filter((line) => /^user: |The beginning is/.test(line));

/** In the header of a file that continues a thread after its first lines. */
const after = (thread_id: string, end_ordinal_exclusive: number) => ({
  history_base: { thread_id, end_ordinal_exclusive },
});

test("joins the files of a thread that was rewound, whichever of them is opened", () => {
  const home = new Home();
  const end = turnStart(1);
  const first = home.write(conversation(thread, "one", "two"), 0, {}, thread);
  const name = `${thread}_0199cccc`;
  const second = home.write(conversation(thread, "three"), end, after(thread, end), name);
  home.write(conversation(`${thread}-else`, "other"), 0, {}, `${thread}-else`);
  for (const file of [first, second])
    expect(typed(read(file))).toEqual(["user: one", "user: three"]);
});

test("follows a second rewind to the file in which it happened", () => {
  const home = new Home();
  home.write(conversation(thread, "one", "two", "left"), 0, {}, thread);
  home.write(conversation(thread, "three", "undone"), 7, after(thread, 7), `${thread}_0199cccc`);
  const last = conversation(thread, "four");
  const file = home.write(last, 11, after(thread, 11), `${thread}_0199dddd`);
  expect(typed(findPath(read(file)))).toEqual(
    ["one", "two", "three", "four"].map((words) => `user: ${words}`),
  );
  const early = home.write(conversation(thread, "five"), 4, after(thread, 4), `${thread}_0199eeee`);
  expect(typed(read(early))).toEqual(["user: one", "user: five"]);
});

test("a fork starts with the original's messages up to the fork", () => {
  const home = new Home();
  const parent = home.write(conversation(thread, "one", "two"), 0, {}, thread);
  const end = turnStart(1);
  const child = home.write(conversation(fork, "else"), end, after(thread, end), fork);
  expect(typed(read(child))).toEqual(["user: one", "user: else"]);
  expect(typed(read(parent))).toEqual(["user: one", "user: two"]);
});

test("reports a missing beginning, and ends cycles", () => {
  const home = new Home();
  const alone = home.write(conversation(fork, "else"), 9, after("0199eeee-gone", 9), fork);
  expect(inShort(read(alone))[1]).toBe(
    "note info: The beginning is in thread 0199eeee-gone, whose file was not found.",
  );
  const round = new Home();
  const one = round.write(conversation(thread, "one"), 0, after(fork, 9), thread);
  round.write(conversation(fork, "other"), 0, after(thread, 9), fork);
  expect(typed(read(one))).toContain("user: one");
});

test("a subagent's thread is imported when its file is named, not with its folder", () => {
  const home = new Home();
  const header = { thread_source: "subagent" };
  const file = home.write(conversation(thread, "do my work"), 0, header, thread);
  expect(importFile(home.path)).toBeNull();
  expect(typed(read(file))).toEqual(["user: do my work"]);
});

test("reads archived and compressed sessions, and takes titles from the index", () => {
  const home = new Home();
  const plain = home.write(conversation(thread, "one"), 0, {}, thread, "archived_sessions");
  const packed = `${plain}.zst`;
  writeFileSync(packed, zstdCompressSync(Buffer.from(Bun.mmap(plain))));
  rmSync(plain);
  const names = ["first name", "The till"].map((name) =>
    JSON.stringify({ id: thread, thread_name: name }),
  );
  writeFileSync(join(home.path, "session_index.jsonl"), `${names.join("\n")}\n`);
  const entries = read(packed);
  expect(typed(entries)).toEqual(["user: one"]);
  expect(inShort(entries)).toContain("note title: The till");
  const child = home.write(conversation(fork, "else"), 4, after(thread, 4), fork);
  expect(typed(read(child))).toEqual(["user: one", "user: else"]);
});
