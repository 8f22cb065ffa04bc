import { afterEach, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "../properties.ts";
import { memoryLimits } from "../../src/log/old-entries.ts";
import { LogError } from "../../src/log/log-error.ts";
import { formatEntry } from "../../src/log/parse.ts";
import { readLog } from "../../src/log/read.ts";
import { createLog, openLog } from "../../src/log/store.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { anyFact, assistantFact, resultFact, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "./folder.ts";
import { openFiles } from "./open-files.ts";

const root = testFolder();
let serial = 0;
const folder = (): string => join(root, `${++serial}`);

const usual = { ...memoryLimits };
const limit = (limits: Partial<typeof usual>): void => void Object.assign(memoryLimits, limits);
afterEach(() => limit(usual));

/** Whether an entry is completely in memory; its file has been emptied. */
function isWhole(entry: Entry): boolean {
  try {
    return entry.at !== "";
  } catch {
    return false;
  }
}

test("an entry whose body was left on disk equals the one appended, in the order of its keys", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyFact, { minLength: 1, maxLength: 12 }), async (facts) => {
      limit(usual);
      const log = createLog(folder());
      await Promise.all(facts.map((fact) => log.append(fact)));
      const texts = log.entries.map(formatEntry);
      limit({ whole: 0, opening: 0, again: 0 });
      // After the next append, earlier entries are only on disk.
      await log.append(userFact("more"));
      expect(log.entries.slice(0, -1).map(formatEntry)).toEqual(texts);
      await log.close();
      const again = openLog(log.file);
      expect(again.entries.slice(0, -1).map(formatEntry)).toEqual(texts);
      expect(again.repairs).toEqual([]);
      await again.close();
    }),
    { numRuns: 40 },
  );
});

test("the newest entries stay whole, as many as the limit allows", async () => {
  const log = createLog(folder());
  limit({ whole: 3_000, perEntry: 0 });
  await log.append(sessionFact());
  for (let n = 0; n < 20; n++) await log.append(resultFact(`t${n}`, "x".repeat(800)));
  await log.close();
  writeFileSync(log.file, "");
  expect(log.entries.map(isWhole)).toEqual([
    true,
    ...Array.from({ length: 17 }, () => false),
    true,
    true,
    true,
  ]);
});

test("a new entry is the same object whenever it is asked for", async () => {
  const log = createLog(folder());
  await Promise.all(Array.from({ length: 600 }, (_, n) => log.append(userFact(`${n}`))));
  const [first] = log.entries;
  expect(log.entries.filter(({ type }) => type === "user")).toHaveLength(600);
  expect(log.entries[0] === first).toBe(true);
  await log.close();
});

test("a short entry counts for more than its line", async () => {
  const log = createLog(folder());
  limit({ whole: 10_000, perEntry: 2_000 });
  for (let n = 0; n < 20; n++) await log.append(userFact(`${n}`));
  await log.close();
  writeFileSync(log.file, "");
  const whole = log.entries.map(isWhole);
  expect(whole).toEqual(whole.map((_, place) => place >= 16));
});

test("the id, parent and type of an old entry need no reading", async () => {
  const log = createLog(folder());
  limit({ whole: 0 });
  await log.append(resultFact("t1", "words"));
  await log.append(assistantFact("more"));
  await log.close();
  const [first] = log.entries;
  writeFileSync(log.file, "");
  expect([first?.id, first?.parent, first?.type]).toEqual(["e1", null, "result"]);
});

test("a log with damaged lines, other ids and no last newline is read back, too", () => {
  limit({ opening: 0, again: 0 });
  const file = `${folder()}.jsonl`;
  const line = (id: string, parent: string | null, text: string): string =>
    formatEntry({ id, parent, at: "2026-01-01T00:00:00.000Z", ...userFact(text) });
  const last = line("e99999999999", "mine", "last é").trimEnd();
  writeFileSync(
    file,
    `${line("e1", null, "first")}not JSON\n\n${line("mine", "gone", "own")}${line("e1", null, "twice")}${last}`,
  );
  const { entries } = readLog(file);
  expect(entries.map((entry) => entry.type === "user" && entry.content)).toEqual(
    ["first", "own", "last é"].map((text) => [{ type: "text", text }]),
  );
});

test("the bodies of an open log survive the removal of its file, and closing leaves nothing open", async () => {
  const log = createLog(folder());
  limit({ whole: 0, again: 0 });
  await log.append(userFact("first"));
  await log.append(userFact("second"));
  rmSync(log.file);
  const [first] = log.entries;
  expect(first).toMatchObject(userFact("first"));
  await log.close();
  expect(openFiles().filter((path) => path.startsWith(log.file))).toEqual([]);
});

test("entries equal their stand-ins, whatever is in memory", async () => {
  const facts = [sessionFact(), userFact("first"), assistantFact("more"), userFact("last")];
  const texts = (log: ReturnType<typeof openLog>): (string | undefined)[] =>
    facts.map((_, place) => log.whole(place)).map((entry) => entry && formatEntry(entry));
  const log = createLog(folder());
  for (const fact of facts) await log.append(fact);
  expect(texts(log)).toEqual(log.entries.map(formatEntry));
  limit({ whole: 0, opening: 0, again: 0 });
  await log.append(userFact("more"));
  expect(texts(log)).toEqual(log.entries.slice(0, -1).map(formatEntry));
  expect(log.whole(-1)).toBeUndefined();
  expect(log.whole(facts.length + 1)).toBeUndefined();
  await log.close();
  const again = openLog(log.file);
  expect(texts(again)).toEqual(again.entries.slice(0, -1).map(formatEntry));
  await again.close();
});

test("entries read in order equal those read one by one, whatever lies between their lines", async () => {
  const between = fc.constantFrom("", "", "", "\n", "not JSON\n", '{"id":""}\n', '{"a":\n1}\n');
  const facts = fc.array(fc.tuple(anyFact, between), { minLength: 1, maxLength: 150 });
  await fc.assert(
    fc.asyncProperty(facts, fc.boolean(), fc.nat(), async (pairs, hasNewline, seed) => {
      limit({ whole: 0, opening: 0, again: 0 });
      const file = `${folder()}.jsonl`;
      const text = pairs
        .map(([fact, junk], n) => {
          const id = `e${n + 1}`;
          const parent = n === 0 ? null : `e${n}`;
          const long = n % 97 === 5 ? { more: "x".repeat(70_000) } : {};
          const raw = { id, parent, at: "2026-01-01T00:00:00.000Z", ...fact, ...long };
          return `${junk}${JSON.stringify(raw)}\n`;
        })
        .join("");
      writeFileSync(file, hasNewline ? text : text.trimEnd());
      const log = openLog(file, { readOnly: true });
      const all = log.entries.map(formatEntry);
      const inOrder = all.map((_, place) => log.whole(place)).map((one) => one && formatEntry(one));
      expect(inOrder).toEqual(all);
      const place = seed % Math.max(1, all.length);
      const anywhere = log.whole(place);
      expect(anywhere && formatEntry(anywhere)).toBe(all[place]);
      await log.close();
    }),
    { numRuns: 60 },
  );
});

test("an entry read in order that another program changed is an error in words", () => {
  limit({ whole: 0, opening: 0, again: 0 });
  const file = `${folder()}.jsonl`;
  const at = "2026-01-01T00:00:00.000Z";
  const line = (n: number, parent: string | null): string =>
    formatEntry({ id: `e${n}`, parent, at, ...userFact(`${n}`) });
  const text = line(1, null) + line(2, "e1") + line(3, "e2");
  for (const [from, to] of [
    ['"id":"e2"', '"id":"e7"'],
    [
      '"type":"user","content":[{"type":"text","text":"2"',
      '"type":"nope","content":[{"type":"text","text":"2"',
    ],
    ['{"id":"e2"', '["id":"e2"'],
  ] as const) {
    writeFileSync(file, text);
    const log = openLog(file, { readOnly: true });
    writeFileSync(file, text.replace(from, to));
    expect(log.whole(0)?.id).toBe("e1");
    expect(() => log.whole(1)).toThrow(LogError);
    expect(log.whole(2)?.id).toBe("e3");
  }
});

test("a body that another program removed is an error in words", async () => {
  const log = createLog(folder());
  limit({ whole: 0, again: 0 });
  await log.append(userFact("first"));
  await log.append(userFact("second"));
  const [first] = log.entries;
  writeFileSync(log.file, "");
  expect(() => first?.type === "user" && first.content).toThrow(LogError);
  await log.close();
});
