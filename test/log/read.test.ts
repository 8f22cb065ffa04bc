import { expect, test } from "bun:test";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "../properties.ts";
import { openLog } from "../../src/log/store.ts";
import { anyFact, brief, lineOf, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";

const root = testFolder();
const file = join(root, "session.jsonl");
const line = (number: number, parent: number | null = number > 1 ? number - 1 : null) =>
  lineOf({
    id: `e${number}`,
    parent: parent === null ? null : `e${parent}`,
    at: "2026-01-01T00:00:00.000Z",
    ...userFact(`message ${number}`),
  });
/** The log as it is opened to be read. */
const readLog = (place: string) => {
  const { entries, path, repairs: problems } = openLog(place, { readOnly: true });
  return { entries, path, problems };
};
const put = (...lines: string[]) => writeFileSync(file, lines.join(""));

test("a damaged line in the middle is reported and cuts nothing off", () => {
  put(line(1), line(2), "garbage\n", line(4), line(5));
  const { entries, path, problems } = readLog(file);
  expect(path.map(brief)).toEqual(["e1<- user", "e2<e1 user", "e4<e2 user", "e5<e4 user"]);
  expect(entries).toHaveLength(4);
  expect(problems).toEqual([
    `${file}:3 is not valid JSON; the line is skipped.`,
    `${file}:4 follows e3, which is missing; it now follows e2.`,
  ]);
});

test("a rewind to a damaged line goes to the entry before it, not to the newest", () => {
  put(line(1), line(2), "garbage\n", line(4), line(5), line(6, 3));
  expect(readLog(file).path.map(brief)).toEqual(["e1<- user", "e2<e1 user", "e6<e2 user"]);
});

test("a damaged entry becomes unknown and keeps its children", () => {
  put(line(1), line(2).replace('"text":"message 2"', '"text":null'), line(3));
  const { path, problems } = readLog(file);
  expect(path.map(brief)).toEqual(["e1<- user", "e2<e1 unknown", "e3<e2 user"]);
  expect(problems).toEqual([expect.stringContaining("damaged user entry (content.0.text:")]);
});

test.each(["[]", "7", '{"id":"e1"}', '{"id":"","parent":null,"at":"","type":"user"}'])(
  "%p is not an entry",
  (text) => {
    put(`${text}\n`);
    const { entries, problems } = readLog(file);
    expect([entries, problems]).toEqual([[], [`${file}:1 is not an entry; the line is skipped.`]]);
  },
);

test("inherited property names are ordinary keys", () => {
  const inherited = line(1).replace('"text":"message 1"', '"text":"x","__proto__":{"a":1}');
  put(inherited.replace("}\n", ',"constructor":1}\n'), line(2).replace('"user"', '"toString"'));
  const { entries, problems } = readLog(file);
  expect([entries.map(({ type }) => type), problems]).toEqual([["user", "unknown"], []]);
  expect(entries.map(lineOf).join("")).toBe(readFileSync(file, "utf8"));
});

test("of two entries with one id the first counts", () => {
  put(line(1), line(2), line(2, 1), line(3));
  const { entries, problems } = readLog(file);
  expect(entries.map(brief)).toEqual(["e1<- user", "e2<e1 user", "e3<e2 user"]);
  expect(problems).toEqual([`${file}:3 repeats the id e2; the line is skipped.`]);
});

test("entries that are each other's parents do not form a loop", () => {
  put(line(1, 2), line(2, 1), line(3, 3));
  expect(readLog(file).entries.map(brief)).toEqual(["e1<- user", "e2<e1 user", "e3<e2 user"]);
});

/** Lines of so many bytes. */
const linesOf = (...sizes: number[]): string[] =>
  sizes.map((bytes, at) => {
    const short = line(at + 1);
    return short.replace("message", `message${"x".repeat(bytes - short.length)}`);
  });
const megabyte = 1024 * 1024;

test("a log of many blocks of 4 MB is read whole, wherever its lines end, and tells how far it is", () => {
  const some = Array.from({ length: 40 }, (_, at) => 90_001 + at * 777);
  const lines = linesOf(4 * megabyte - 300, 300, 9 * megabyte, ...some, 5 * megabyte, 300);
  put(...lines);
  const reports: number[] = [];
  const onRead = (bytes: number): void => void reports.push(bytes);
  const { entries, repairs } = openLog(file, { readOnly: true, onRead });
  expect(repairs).toEqual([]);
  expect(entries.map(lineOf).join("") === lines.join("")).toBe(true);
  const steps = reports.map((bytes, at) => bytes - (reports[at - 1] ?? 0));
  expect([steps.length, Math.min(...steps) >= megabyte]).toEqual([6, true]);
});

test("truncated at any byte, a log opens with all complete entries, and tells of one that is not", () => {
  const facts = [...fc.sample(anyFact, { numRuns: 12, seed: 7 }), userFact("é".repeat(2_000))];
  const lines = facts.map((fact, at) =>
    lineOf({ id: `e${at + 1}`, parent: at === 0 ? null : `e${at}`, at: "2026", ...fact }),
  );
  const ends = lines.map((_, at) => Buffer.byteLength(lines.slice(0, at + 1).join("")));
  put(...lines);
  for (let bytes = ends.at(-1) ?? 0; bytes > 0; bytes -= 13) {
    truncateSync(file, bytes);
    const { entries, problems } = readLog(file);
    // An entry that only lacks its newline is complete.
    expect(entries).toHaveLength(ends.filter((end) => end - 1 <= bytes).length);
    const isWhole = ends.some((end) => end === bytes || end - 1 === bytes);
    expect(problems.join().includes("the last line is incomplete")).toBe(!isWhole);
  }
});

test("whatever bytes a log has, it opens and can be continued", async () => {
  let serial = 0;
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom("\n", "\n\n", "\0\0\0", "null\n", "{}\n", line(1), line(3), line(2, 9))
      .map(Buffer.from),
    fc.nat({ max: 60 }).map((bytes) => Buffer.from(line(2).slice(0, bytes))),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const place = join(root, `any-${++serial}.jsonl`);
      writeFileSync(place, Buffer.concat(pieces));
      const log = openLog(place);
      const next = await log.append(userFact("next"));
      await log.close();
      const again = readLog(place);
      expect(again.path.at(-1)).toEqual(next);
      expect(again.entries).toHaveLength(log.entries.length);
      expect(again.problems.join()).not.toContain("incomplete");
    }),
    { numRuns: 60 },
  );
});

test("problems are capped at 100, then summarized", () => {
  put("no log\n".repeat(100));
  expect(readLog(file).problems).toHaveLength(100);
  put("no log\n".repeat(1_000));
  const { problems } = readLog(file);
  expect(problems).toHaveLength(101);
  expect(problems[99]).toStartWith(`${file}:100 `);
  expect(problems[100]).toBe("There are more problems like these.");
});

test("blank lines are not reported, but count as lines", () => {
  put("\n", line(1), "  \n", "garbage\n", line(2, 1));
  const { entries, problems } = readLog(file);
  expect(entries.map(brief)).toEqual(["e1<- user", "e2<e1 user"]);
  expect(problems).toEqual([`${file}:4 is not valid JSON; the line is skipped.`]);
});

test("a problem on the last line without a newline names that line", () => {
  put(line(1), line(3, 9).trimEnd());
  const { problems } = readLog(file);
  expect(problems).toEqual([`${file}:2 follows e9, which is missing; it now follows e1.`]);
});

test("the first entry of a damaged log follows nothing", () => {
  put("garbage\n", line(2), line(3));
  const { entries, problems } = readLog(file);
  expect(entries.map(brief)).toEqual(["e2<- user", "e3<e2 user"]);
  expect(problems[1]).toBe(`${file}:2 follows e1, which is missing; it now follows nothing.`);
});

test("a missing parent is replaced by the entry written before it", () => {
  const others = [2, 3, 5, 6, 7, 9, 10].map((number) => line(number, 1));
  const parentFor = (missing: number) => {
    put(line(1), ...others, line(11, missing));
    return readLog(file).entries.at(-1)?.parent;
  };
  expect([4, 8, 12].map(parentFor)).toEqual(["e3", "e7", "e10"]);
});

test("the next id follows the highest number, and ids of other forms are kept", async () => {
  const odd = (id: string, parent: string | null): string =>
    lineOf({ id, parent, at: "2026", ...userFact(id) });
  put(line(1), line(7, 1), odd("x9", "e7"), odd("e1234567890123456", "x9"), line(3, 1));
  const log = openLog(file);
  expect((await log.append(userFact("next"))).id).toBe("e8");
  expect(log.entries).toHaveLength(6);
  await log.close();
});
