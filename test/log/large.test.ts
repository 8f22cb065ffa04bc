/** A log that grew for weeks. Times are printed, not asserted. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeSession } from "../../src/log/catalog.ts";
import { formatEntry } from "../../src/log/parse.ts";
import { readEntries, searchEntries } from "../../src/log/search.ts";
import { openLog } from "../../src/log/store.ts";
import { assistantFact, resultFact, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";

const root = testFolder();
const entries = 10_000;

test("a log of 10,000 entries is opened, continued, listed and searched", async () => {
  const file = join(root, "large.jsonl");
  const lines: string[] = [];
  for (let number = 1; number <= entries; number++) {
    const call = `call ${number}`;
    const fact =
      number === 1
        ? sessionFact()
        : number % 3 === 0
          ? assistantFact(`step ${number}`, [call])
          : number % 3 === 1
            ? resultFact(call, `line ${number} of src/file${number % 700}.ts`)
            : userFact(number === 8_000 ? "the albatross question" : `go on with ${number}`);
    const parent = number === 1 ? null : `e${number - 1}`;
    lines.push(formatEntry({ id: `e${number}`, parent, at: "2026-01-01T00:00:00.000Z", ...fact }));
  }
  writeFileSync(file, lines.join(""));
  const times: string[] = [];
  const time = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work();
    times.push(`${what} ${(performance.now() - began).toFixed(1)} ms`);
    return result;
  };

  const log = await time("open", () => openLog(file));
  expect(log.path).toHaveLength(entries);
  expect(log.repairs).toEqual([]);
  const next = await time("append", () => log.append(userFact("one more")));
  expect(next).toMatchObject({ id: `e${entries + 1}`, parent: `e${entries}` });
  await time("rewind", () => log.append({ type: "head", why: "test" }, { parent: "e5000" }));
  expect(log.path).toHaveLength(5_001);
  await log.close();
  expect(await time("describe", () => describeSession(file))).toMatchObject({
    entries: entries + 2,
    firstPrompt: "go on with 2",
  });
  const search = (query: string) =>
    searchEntries(readEntries(file), query, { limit: 3, resultsFolder: null });
  const hits = await time("search", () => search("albatross"));
  expect(hits.map(({ entry }) => entry)).toEqual(["e8000"]);
  const common = await time("search of what is everywhere", () => search("go on with"));
  expect(common).toHaveLength(3);
  console.log(`${entries} entries: ${times.join(", ")}`);
});
