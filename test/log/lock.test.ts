import { afterEach, expect, mock, spyOn, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { disk } from "../../src/base/durable.ts";
import { describeSession } from "../../src/log/catalog.ts";
import { createLog, type LogStore, openLog } from "../../src/log/store.ts";
import { sessionFact, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";
import { closedLog } from "../saved-session.ts";

const root = testFolder();
const isHeld = async (file: string) => (await describeSession(file))?.busy;
const holder = join(import.meta.dir, "lock-holder.ts");
let serial = 0;

const newSession = async (): Promise<string> =>
  (await closedLog(root, [sessionFact()], `s${++serial}`)).file;

/** A process that holds the lock, or prints why it cannot. */
async function hold(file: string) {
  const child = Bun.spawn([process.execPath, holder, file], { stdin: "pipe", stdout: "pipe" });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return { child, said: Buffer.from(value ?? []).toString("utf8") };
}

test("a session open elsewhere is refused, naming the process; reading it works", async () => {
  const file = await newSession();
  const { child, said } = await hold(file);
  expect(said).toBe("held\n");
  expect(await isHeld(file)).toBe(true);
  expect(() => openLog(file)).toThrow(`(process ${child.pid})`);
  expect(openLog(file, { readOnly: true }).path).toHaveLength(1);
  child.stdin.end();
  await child.exited;
  expect(await isHeld(file)).toBe(false);
  await openLog(file).close();
});

const lockText = (pid: number, started = ""): string => JSON.stringify({ pid, started });
const other = lockText(1);

test("a session that another process took over is not written any more", async () => {
  const file = await newSession();
  const log = openLog(file);
  writeFileSync(`${file}.lock`, other);
  await expect(log.append(userFact("lost"))).rejects.toThrow(
    "Another mini-claude opened the session",
  );
  expect(statSync(`${file}.lock`).mode & 0o777).toBe(0o600);
  await log.close();
  expect(readFileSync(`${file}.lock`, "utf8")).toBe(other);
  expect(readFileSync(file, "utf8")).not.toContain("lost");
});

/** While a log is suspended, another process opens its session, writes and closes it. */
async function expectTakenOver(suspended: LogStore): Promise<void> {
  const { file } = suspended;
  rmSync(`${file}.lock`);
  const other = openLog(file);
  await other.append(userFact("meanwhile"));
  await other.close();
  for (const text of ["lost", "lost again"])
    await expect(suspended.append(userFact(text))).rejects.toThrow(
      "Another mini-claude opened the session",
    );
  await suspended.close();
  const text = readFileSync(file, "utf8");
  expect([text.includes("meanwhile"), text.includes("lost")]).toEqual([true, false]);
}

test("a session that another process took over and closed is not written any more", async () => {
  await expectTakenOver(openLog(await newSession()));
  const written = openLog(await newSession());
  await written.append(userFact("before"));
  await expectTakenOver(written);
});

test.each([
  ["half a line", (all: number) => Math.floor(all / 2)],
  ["the whole line", (all: number) => all],
  ["nothing", () => 0],
])(
  "after a failed write of which %s reached the disk, another process's entries are not cut off",
  async (_, arrives) => {
    const suspended = openLog(await newSession());
    await suspended.append(userFact("before"));
    const { write } = disk;
    const full = spyOn(disk, "write").mockImplementation(async (fd, bytes, from, length) => {
      if (arrives(length) > 0) await write(fd, bytes, from, arrives(length));
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    });
    await expect(suspended.append(userFact("failed"))).rejects.toThrow("cannot be written");
    full.mockRestore();
    await expectTakenOver(suspended);
  },
);

test("a log that was cut short after a failed write is not written any more", async () => {
  const log = openLog(await newSession());
  spyOn(disk, "fdatasync").mockRejectedValueOnce(new Error("no"));
  await expect(log.append(userFact("failed"))).rejects.toThrow("cannot be written");
  truncateSync(log.file, 5);
  await expect(log.append(userFact("lost"))).rejects.toThrow("Another mini-claude opened");
  await log.close();
});

test("a lock that is removed, or cannot be read for a while, does not stop its session", async () => {
  const log = createLog(root, "unreadable");
  await log.append(userFact("a"));
  const lock = `${log.file}.lock`;
  rmSync(lock);
  expect((await log.append(userFact("b"))).id).toBe("e2");
  mkdirSync(lock);
  expect(() => openLog(log.file)).toThrow(`${log.file} cannot be locked: it is a folder.`);
  expect((await log.append(userFact("c"))).id).toBe("e3");
  rmSync(lock, { recursive: true });
  await log.close();
});

test("a lock file with garbage is replaced", async () => {
  const file = await newSession();
  for (const text of ["", "{", "7", '{"pid":"x"}']) {
    writeFileSync(`${file}.lock`, text);
    await openLog(file).close();
  }
});

test("exactly one of many processes that find a stale lock acquires it", async () => {
  const file = await newSession();
  writeFileSync(`${file}.lock`, lockText(2 ** 22 + 1, "1"));
  const tries = await Promise.all(Array.from({ length: 4 }, () => hold(file)));
  expect(tries.filter(({ said }) => said === "held\n")).toHaveLength(1);
  expect(tries.filter(({ said }) => said.includes("is open in another"))).toHaveLength(3);
  for (const { child } of tries) child.stdin.end();
  await Promise.all(tries.map(({ child }) => child.exited));
  expect(readdirSync(root).filter((name) => name.startsWith(`s${serial}.`))).toEqual([
    `s${serial}.jsonl`,
  ]);
});

afterEach(() => mock.restore());

const unusedPid = 2 ** 22 + 1;

test("a session is busy while another process runs that its lock names", async () => {
  const file = await newSession();
  const own = openLog(file);
  expect(await isHeld(file)).toBe(false);
  await own.close();
  const locks: [text: string, held: boolean][] = [
    [lockText(process.ppid), true],
    // Of a process that has ended, whose id another one has now.
    [lockText(process.ppid, "1"), !existsSync("/proc/self/stat")],
    [lockText(unusedPid), false],
    ["garbage", false],
  ];
  for (const [text, held] of locks) {
    writeFileSync(`${file}.lock`, text);
    expect([text, await isHeld(file)]).toEqual([text, held]);
  }
});

test("a stale lock that another process is replacing for too long is reported", async () => {
  const file = await newSession();
  writeFileSync(`${file}.lock`, lockText(unusedPid));
  writeFileSync(`${file}.lock.stale`, "");
  expect(() => openLog(file)).toThrow(
    `The lock ${file}.lock cannot be replaced. Remove it and ${file}.lock.stale.`,
  );
});

test("closing twice keeps the lock that this process acquired in between", async () => {
  const file = await newSession();
  const first = openLog(file);
  await first.close();
  const second = openLog(file);
  await first.close();
  expect(existsSync(`${file}.lock`)).toBe(true);
  await second.close();
  expect(existsSync(`${file}.lock`)).toBe(false);
});
