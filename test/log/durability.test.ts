/** Acknowledged entries survive a power loss: which syncs came before, and in which order. */

import { afterEach, expect, mock, spyOn, test } from "bun:test";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Checkpoints } from "../../src/log/checkpoints.ts";
import { disk } from "../../src/base/durable.ts";
import { createLog, openLog, writeSession } from "../../src/log/store.ts";
import { brief, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";
import { closedLog } from "../saved-session.ts";
import { watchDisk } from "./watch-disk.ts";

const root = testFolder();
const newRoot = (): string => mkdtempSync(join(root, "home-"));
afterEach(() => mock.restore());

test("an entry is acknowledged after its line, its file and its folders are synced", async () => {
  const home = newRoot();
  const events = watchDisk(home);
  const log = createLog(join(home, "sessions/project"), "s");
  expect(events).toEqual(["sync sessions", "sync ."]);
  events.length = 0;
  await log.append(userFact("a"));
  events.push("acknowledged");
  // Results of parallel calls share one write.
  await Promise.all(["b", "c"].map((text) => log.append(userFact(text))));
  events.push("acknowledged");
  const file = "sessions/project/s.jsonl";
  expect(events).toEqual([
    "sync sessions/project",
    `write ${file}`,
    `sync ${file}`,
    "acknowledged",
    `write ${file}`,
    `sync ${file}`,
    "acknowledged",
  ]);
  await log.close();
});

test("nothing is acknowledged before its sync ends; lines that arrive meanwhile share the next", async () => {
  const log = createLog(newRoot(), "s");
  const syncs: (() => void)[] = [];
  spyOn(disk, "fdatasync").mockImplementation(() => new Promise((done) => syncs.push(done)));
  const acknowledged: string[] = [];
  const append = (text: string) =>
    log.append(userFact(text)).then(({ id }) => void acknowledged.push(id));
  const first = append("a");
  await until(() => syncs.length === 1);
  const others = [append("b"), append("c")];
  expect([acknowledged, log.path]).toEqual([[], []]);
  syncs[0]?.();
  await first;
  expect(acknowledged).toEqual(["e1"]);
  await until(() => syncs.length === 2);
  expect(readFileSync(log.file, "utf8").split("\n")).toHaveLength(4);
  syncs[1]?.();
  await Promise.all(others);
  expect(acknowledged).toEqual(["e1", "e2", "e3"]);
  expect(syncs).toHaveLength(2);
  await log.close();
});

test("after a failed sync nothing is acknowledged until a sync succeeds", async () => {
  const home = newRoot();
  const log = createLog(home, "s");
  await log.append(userFact("a"));
  const failing = spyOn(disk, "fdatasync").mockRejectedValueOnce(makeError("EIO"));
  const [b, c] = await reasons([log.append(userFact("b")), log.append(userFact("c"))]);
  await expect(log.append(userFact("d"), { parent: "e2" })).rejects.toThrow("no entry e2");
  expect(b).toContain(`The session log ${log.file} cannot be written: the disk reported an error.`);
  expect(c).toBe(b);
  failing.mockRejectedValueOnce(makeError("EIO"));
  await expect(log.append(userFact("d"))).rejects.toThrow("the disk reported an error");
  expect(log.path).toHaveLength(1);
  failing.mockRestore();
  const next = await log.append(userFact("e"));
  expect(next.parent).toBe("e1");
  await log.close();
  const again = openLog(log.file, { readOnly: true });
  expect(again.path.map(({ id }) => id)).toEqual(["e1", next.id]);
  expect(again.repairs).toEqual([]);
});

test.each([0, 20])("a write fails at byte %d, then an opening; the next succeeds", async (some) => {
  const folder = newRoot();
  const log = createLog(join(folder, "project"), "s");
  const first = await log.append(userFact("a"));
  const { write } = disk;
  spyOn(disk, "write").mockImplementationOnce(async (fd, bytes, from) => {
    await write(fd, bytes, from, some);
    throw makeError("ENOSPC");
  });
  await expect(log.append(userFact("b"))).rejects.toThrow("the disk is full");
  renameSync(join(folder, "project"), join(folder, "away"));
  writeFileSync(join(folder, "project"), "");
  await expect(log.append(userFact("c"))).rejects.toThrow("cannot be written");
  rmSync(join(folder, "project"));
  renameSync(join(folder, "away"), join(folder, "project"));
  const next = await log.append(userFact("d"));
  await log.close();
  expect(openLog(log.file, { readOnly: true }).entries).toEqual([first, next]);
});

test("lines that arrive during a failing sync are not acknowledged either", async () => {
  const log = createLog(newRoot(), "s");
  let fail = (_: Error): void => undefined;
  const sync = spyOn(disk, "fdatasync").mockImplementation(
    () => new Promise((_, reject) => (fail = reject)),
  );
  const first = log.append(userFact("a"));
  await until(() => sync.mock.calls.length === 1);
  const second = log.append(userFact("b"));
  fail(makeError("ENOSPC"));
  for (const reason of await reasons([first, second])) expect(reason).toContain("the disk is full");
  expect(sync).toHaveBeenCalledTimes(1);
  sync.mockRestore();
  const next = await log.append(userFact("c"));
  await log.close();
  expect(openLog(log.file, { readOnly: true }).entries).toEqual([next]);
});

test("a line is written only after the newline that the last one lacked", async () => {
  const log = await closedLog(newRoot(), [userFact("a")]);
  writeFileSync(log.file, readFileSync(log.file, "utf8").trimEnd());
  const { write } = disk;
  const started: number[] = [];
  const newline = Promise.withResolvers<void>();
  spyOn(disk, "write").mockImplementation(async (fd, bytes, from, length) => {
    started.push(length);
    if (started.length === 1) await newline.promise;
    return write(fd, bytes, from, length);
  });
  const again = openLog(log.file);
  expect([again.path.length, again.repairs]).toEqual([1, []]);
  const appended = again.append(userFact("b"));
  while (started.length === 0) await new Promise(setImmediate);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(started).toEqual([1]);
  newline.resolve();
  await appended;
  await again.close();
  expect(openLog(log.file, { readOnly: true }).entries).toHaveLength(2);
});

test.each([
  ["added the missing newline", (text: string) => text.trimEnd()],
  ["saved a torn line", (text: string) => `${text}{"id":`],
])("after an opening that failed when it %s, the next one succeeds", async (_, spoil) => {
  const log = await closedLog(newRoot(), [userFact("a")]);
  writeFileSync(log.file, spoil(readFileSync(log.file, "utf8")));
  const again = openLog(log.file);
  const { write } = disk;
  spyOn(disk, "write").mockImplementationOnce(async (...first) => {
    await write(...first);
    throw makeError("EIO");
  });
  await expect(again.append(userFact("b"))).rejects.toThrow("the disk reported an error");
  await again.append(userFact("c"));
  await again.close();
  expect(openLog(log.file, { readOnly: true }).entries).toHaveLength(2);
});

const begin = { id: "e1", parent: null, at: "2026", ...sessionFact() };

test("a torn line is saved beside the log before the log is cut", async () => {
  const home = newRoot();
  const file = join(home, "s.jsonl");
  writeFileSync(file, `${JSON.stringify(begin)}\n{"id":"e2"`);
  const log = openLog(file);
  expect(log.repairs).toEqual([
    `${file}: the last line is incomplete (10 bytes, never acknowledged). It is skipped, and moved to ${file}.torn before the next write.`,
  ]);
  const events = watchDisk(home);
  await log.append(userFact("a"));
  expect(events).toEqual([
    "write s.jsonl.torn",
    "sync s.jsonl.torn",
    "sync .",
    "write s.jsonl",
    "sync s.jsonl",
  ]);
  expect(statSync(`${file}.torn`).mode & 0o777).toBe(0o600);
  expect(readFileSync(`${file}.torn`, "utf8")).toBe('{"id":"e2"\n');
  await log.close();
  const again = openLog(file, { readOnly: true });
  expect([again.entries.map(brief), again.repairs]).toEqual([["e1<- session", "e2<e1 user"], []]);
});

test("an imported session gets its name after its content is synced", () => {
  const home = newRoot();
  const events = watchDisk(home);
  const file = join(home, "project", "s.jsonl");
  writeSession(file, [begin], 1_700_000_000_000);
  expect(readdirSync(join(home, "project"))).toEqual(["s.jsonl"]);
  expect(statSync(file).mtimeMs).toBe(1_700_000_000_000);
  expect(() => writeSession(file, [begin], 0)).toThrow("already exists");
  const damaged = { ...begin, version: Number.NaN };
  expect(() => writeSession(`${file}2`, [damaged], 0)).toThrow("e1 is a damaged session entry");
  expect(events).toEqual([
    "sync .",
    "write project/s.jsonl.part",
    "sync project/s.jsonl.part",
    "rename project/s.jsonl.part to project/s.jsonl",
    "sync project",
  ]);
});

test("a checkpoint gets its name after its content is synced", async () => {
  const home = newRoot();
  const events = watchDisk(home, { bytesAtOnce: 4 });
  const hash = await new Checkpoints(join(home, "kept")).save(Buffer.from("before"));
  const folder = `kept/${hash.slice(0, 2)}`;
  const renamed = events.find((event) => event.startsWith("rename")) ?? "";
  const part = renamed.split(" ")[1] ?? "";
  expect(part).toStartWith(`${folder}/${hash}.`);
  expect(events).toEqual([
    "sync kept",
    "sync .",
    `write ${part}`,
    `write ${part}`,
    `sync ${part}`,
    `rename ${part} to ${folder}/${hash}`,
    `sync ${folder}`,
  ]);
});

async function reasons(appends: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(appends);
  return settled.map((it) => (it.status === "rejected" ? String(it.reason) : "acknowledged"));
}

const makeError = (code: string): Error => Object.assign(new Error(code), { code });

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
