import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "../properties.ts";
import { createLog, openLog } from "../../src/log/store.ts";
import { anyFact, brief, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";
import { closedLog } from "../saved-session.ts";

const root = testFolder();
let serial = 0;
const folder = () => join(root, "sessions", `p${++serial}`);
const readLines = (file: string) => readFileSync(file, "utf8").split("\n").slice(0, -1);

test("an entry read back equals the one appended", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyFact, { minLength: 1, maxLength: 12 }), async (facts) => {
      const log = await closedLog(folder(), facts);
      const again = openLog(log.file);
      expect(JSON.stringify(again.entries)).toBe(JSON.stringify(log.entries));
      expect(JSON.stringify(again.path)).toBe(JSON.stringify(log.path));
      expect(again.repairs).toEqual([]);
      await again.close();
    }),
    { numRuns: 40 },
  );
});

test("ids follow the order of the calls, and many appends share few writes", async () => {
  const log = createLog(folder());
  const entries = await Promise.all(
    Array.from({ length: 500 }, (_, at) => log.append(userFact(`${at}`))),
  );
  expect(entries.map(({ id }) => id)).toEqual(entries.map((_, at) => `e${at + 1}`));
  expect(log.path.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
  expect(log.head).toBe("e500");
  await log.close();
  expect(readLines(log.file)).toHaveLength(500);
});

test("a rewind creates a branch; the path leads to the head", async () => {
  const log = createLog(folder());
  for (const word of ["a", "b", "c"]) await log.append(userFact(word));
  const before = log.path;
  await log.append({ type: "head", why: "rewind" }, { parent: "e1" });
  await log.append(userFact("d"));
  expect(log.path.map(brief)).toEqual(["e1<- user", "e4<e1 head", "e5<e4 user"]);
  expect([log.path[3], log.path[-1]]).toEqual([undefined, undefined]);
  expect(before.map(({ id }) => id)).toEqual(["e1", "e2", "e3"]);
  expect(log.entries).toHaveLength(5);
  expect(log.get("e3")?.parent).toBe("e2");
  await log.close();
  const again = openLog(log.file);
  expect(again.path).toEqual(log.path);
  expect((await again.append(userFact("e"))).parent).toBe("e5");
  await again.close();
});

test("a parent may not be on disk yet, but must exist", async () => {
  const log = createLog(folder());
  const first = log.append(userFact("a"));
  const second = log.append(userFact("b"));
  const beside = log.append(userFact("c"), { parent: "e1" });
  expect((await Promise.all([first, second, beside])).map(brief)).toEqual([
    "e1<- user",
    "e2<e1 user",
    "e3<e1 user",
  ]);
  await expect(log.append(userFact("d"), { parent: "e99" })).rejects.toThrow("no entry e99");
  expect((await log.append(userFact("e"))).id).toBe("e4");
  await log.close();
});

test("a fact that could not be read back is not written", async () => {
  const log = createLog(folder());
  await log.append(userFact("a"));
  await expect(log.append({ type: "count", tokens: Number.NaN })).rejects.toThrow(
    "damaged count entry",
  );
  expect((await log.append(userFact("b"))).id).toBe("e2");
  await log.close();
  expect(openLog(log.file, { readOnly: true }).repairs).toEqual([]);
});

test("files are readable by their owner only, even one that was not", async () => {
  const log = await closedLog(folder(), [userFact("a")]);
  const mode = (path: string) => statSync(path).mode & 0o777;
  expect(mode(log.file)).toBe(0o600);
  expect(mode(join(log.file, ".."))).toBe(0o700);
  chmodSync(log.file, 0o644);
  const again = openLog(log.file);
  await again.append(userFact("b"));
  expect(mode(log.file)).toBe(0o600);
  await again.close();
});

test("a log of a later version is read-only and says why", async () => {
  const own = await closedLog(folder(), [sessionFact("s", 2)]);
  const reader = openLog(own.file, { readOnly: true });
  await expect(reader.append(userFact("a"))).rejects.toThrow("is open read-only");
  const log = await closedLog(folder(), [sessionFact("s", 9)]);
  const again = openLog(log.file);
  expect(again.path).toHaveLength(1);
  expect(again.readOnly).toContain("later version of mini-claude (format 9)");
  await expect(again.append(userFact("a"))).rejects.toThrow("Update mini-claude");
  // It is not locked: the later version may continue it.
  expect(openLog(log.file).readOnly).not.toBeNull();
  await again.close();
});

test("a session is not created twice, nor opened when missing", async () => {
  const place = folder();
  await closedLog(place, [userFact("a")], "one");
  expect(() => createLog(place, "one")).toThrow("already exists");
  expect(() => openLog(join(place, "two.jsonl"))).toThrow("does not exist");
  expect(createLog(place).session).toMatch(/^\d{8}-\d{6}-[0-9a-f]{6}$/);
});

test("a read-only home is reported in one sentence", () => {
  const place = join(root, "read-only");
  mkdirSync(place, { mode: 0o555 });
  chmodSync(root, 0o755);
  // Root can write anywhere; the user nobody cannot.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    expect(() => createLog(join(place, "sessions"))).toThrow(
      /^The sessions folder .* cannot be created: permission denied\.$/,
    );
    expect(() => createLog(place)).toThrow("cannot be locked: permission denied");
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

test("a sessions folder that is removed before the first entry is made again", async () => {
  const log = createLog(folder());
  rmSync(dirname(log.file), { recursive: true });
  await log.append(userFact("a"));
  await log.close();
  expect(readLines(log.file)).toHaveLength(1);
});

test.if(process.platform === "linux")(
  "an append while the log closes is refused, or on disk before it is closed; no file stays open",
  async () => {
    const openFiles = () => readdirSync("/dev/fd").length;
    const before = openFiles();
    const log = createLog(folder());
    const first = log.append(userFact("first"));
    const closing = log.close();
    const second = log.append(userFact("while the first is written"));
    await closing;
    expect([(await first).id, (await second).id]).toEqual(["e1", "e2"]);
    expect(readLines(log.file)).toHaveLength(2);
    const again = openLog(log.file);
    const closed = again.close();
    await expect(again.append(userFact("late"))).rejects.toThrow("is closed");
    await closed;
    expect(openFiles()).toBe(before);
  },
);

test("a session that cannot be read is an error in a sentence, and leaves no lock", () => {
  const file = join(folder(), "s.jsonl");
  mkdirSync(file, { recursive: true });
  expect(() => openLog(file)).toThrow(/^The session .* cannot be read: .+\.$/);
  expect(readdirSync(dirname(file))).toEqual(["s.jsonl"]);
});
