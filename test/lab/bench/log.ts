/**
 * The log at the sizes of years: opening, appending, searching. `bun test/lab/bench/log.ts`. Every figure
 * stands beside one of the same run that it can be compared with: reading the bytes, syncing a line.
 */

import { mkdtempSync, openSync, writeSync, fsyncSync, closeSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { LiveView, project, Projection } from "../../../src/context/view/view.ts";
import { composeSummary } from "../../../src/context/summary/compose.ts";
import { extractSummary } from "../../../src/context/summary/extract.ts";
import { spanRange } from "../../../src/context/view/rows.ts";
import { formatEntry } from "../../../src/log/parse.ts";
import { searchEntries } from "../../../src/log/search.ts";
import { createLog, openLog } from "../../../src/log/store.ts";
import { lookUpRules } from "../../../src/model/catalog.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import { assistantFact, resultFact, sessionFact, userFact } from "../../log/facts.ts";

const root = mkdtempSync(join(tmpdir(), "log-bench-"));
const ms = (from: number): number => performance.now() - from;
const show = (what: string, ...figures: string[]): void =>
  console.log(`${what.padEnd(46)}${figures.join(", ")}`);

/** A session with this many entries, and results of about this many characters. */
function write(file: string, entries: number, chars: number): void {
  const fd = openSync(file, "w", 0o600);
  let lines = "";
  for (let n = 1; n <= entries; n++) {
    const filler = `line ${n} of src/file${n % 700}.ts `;
    const fact =
      n === 1
        ? sessionFact()
        : n % 3 === 0
          ? assistantFact(`step ${n}`, [`call ${n}`])
          : n % 3 === 1
            ? resultFact(`call ${n}`, filler.repeat(Math.ceil(chars / filler.length)))
            : userFact(n === 2_000 ? "the albatross question" : `go on with ${n}`);
    const parent = n === 1 ? null : `e${n - 1}`;
    lines += formatEntry({ id: `e${n}`, parent, at: "2026-01-01T00:00:00.000Z", ...fact });
    if (lines.length > 1_000_000) {
      writeSync(fd, lines);
      lines = "";
    }
  }
  writeSync(fd, lines);
  closeSync(fd);
}

async function median(times: number, work: () => Promise<void> | void): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < times; n++) {
    const from = performance.now();
    await work();
    taken.push(ms(from));
  }
  return taken.sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
}

const openedSchema = z.object({
  readMs: z.number(),
  openMs: z.number(),
  megabytes: z.number(),
});

/** Runs in a separate process, whose memory nothing else uses. */
async function opened(file: string): Promise<z.infer<typeof openedSchema>> {
  const { stdout } = Bun.spawn([process.execPath, join(import.meta.dir, "open-log.ts"), file]);
  return openedSchema.parse(await new Response(stdout).json());
}

const large = join(root, "large.jsonl");
write(large, 30_000, 10_000);
const megabytes = statSync(large).size / 1e6;
const readMs = await median(3, async () => void (await Bun.file(large).text()));
const openMs = await median(3, async () => {
  const log = openLog(large);
  const tail = new Projection(log.path).view.rows.slice(-50);
  if (tail.length !== 50) throw new Error("no tail");
  await log.close();
});
show(
  `open, project, tail of ${megabytes.toFixed(0)} MB`,
  `${openMs.toFixed(0)} ms`,
  `${(openMs / readMs).toFixed(1)} times reading its bytes`,
);

const largeLog = openLog(large, { readOnly: true });
const search = (query: string) =>
  searchEntries(largeLog.entries, query, { limit: 20, resultsFolder: null });
const searchMs = await median(5, async () => {
  const hits = await search("albatross question");
  if (hits[0]?.entry !== "e2000") throw new Error("not found");
});
const commonMs = await median(5, async () => void (await search("src file line")));
show(
  "recall in it",
  `${searchMs.toFixed(0)} ms`,
  `${commonMs.toFixed(0)} ms where all entries match`,
  `${(searchMs / openMs).toFixed(1)} times opening`,
);

/** A session that is summarized every 20 turns. */
function summarized(entries: number): Entry[] {
  const path: Entry[] = [];
  const add = (fact: Fact): void => {
    const id = `e${path.length + 1}`;
    path.push({ id, parent: path.at(-1)?.id ?? null, at: "2026-01-01T00:00:00.000Z", ...fact });
  };
  const price = { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null };
  add(sessionFact());
  for (let turn = 1; path.length < entries; turn++) {
    add(userFact(`question ${turn}`));
    for (let call = 0; call < 9; call++) {
      add(assistantFact(`step ${call}`, [`call ${turn} ${call}`]));
      add(resultFact(`call ${turn} ${call}`, `line ${call} of it\n`.repeat(30)));
    }
    add(assistantFact("Done."));
    if (turn % 20 > 0) continue;
    const span = { from: "e2", to: path.at(-1)?.id ?? "" };
    const changes = [{ kind: "cover" as const, span, text: "What was done." }];
    add({ type: "cut", tier: "summary", trigger: "auto", reason: "", changes, price });
  }
  return path;
}

const path = summarized(100_000);
const usualPath = path.slice(0, 20_000);
const projectMs = await median(3, () => void new Projection(path).view.messages);
const lensMs = await median(5, () => void project(usualPath).messages);
show(
  "what the model saw at 20,000 entries",
  `${lensMs.toFixed(0)} ms`,
  `${projectMs.toFixed(0)} ms at 100,000`,
);

const long = join(root, "long.jsonl");
await Bun.write(long, path.map(formatEntry).join(""));
const longLog = openLog(long);
const { view } = new LiveView(longLog);
const span = { from: "e2", to: view.head ?? "" };
const rules = lookUpRules("claude-sonnet-5-5");
const summaryMs: number[] = [];
for (let n = 0; n < 6; n++) {
  const from = performance.now();
  const summary = extractSummary(spanRange(view, span));
  composeSummary({ view, span, summary, files: [], rules });
  summaryMs.push(ms(from));
}
await longLog.close();
const [firstMs = 0, ...laterMs] = summaryMs;
show(
  "a summary's text at 100,000 entries",
  `${firstMs.toFixed(0)} ms the first, ${Math.min(...laterMs).toFixed(0)} ms a later one`,
  `projecting all of them: ${(projectMs / firstMs).toFixed(0)} times`,
);

const line = `${"x".repeat(300)}\n`;
const bare = openSync(join(root, "bare"), "a");
const syncMs = await median(200, (): void => {
  writeSync(bare, line);
  fsyncSync(bare);
});
closeSync(bare);
const years = join(root, "years.jsonl");
const usual = join(root, "usual.jsonl");
write(usual, 20_000, 4_000);
write(years, 100_000, 4_000);
for (const [file, entries] of [
  [usual, 20_000],
  [years, 100_000],
] as const) {
  const { readMs, openMs, megabytes } = await opened(file);
  show(
    `opening ${entries.toLocaleString("en")} entries, ${(statSync(file).size / 1e6).toFixed(0)} MB`,
    `${openMs.toFixed(0)} ms of CPU, ${(openMs / readMs).toFixed(1)} times reading its bytes`,
    `${megabytes.toFixed(0)} MB of memory`,
  );
}
const log = openLog(years);
const atYearsMs = await median(200, async () => void (await log.append(userFact("x".repeat(200)))));
await log.close();
const small = createLog(root, "small");
await small.append(sessionFact());
const atTenMs = await median(200, async () => void (await small.append(userFact("x".repeat(200)))));
await small.close();
show(
  "an append, of write and fsync alone",
  `${(atTenMs / syncMs).toFixed(2)} times at 10 entries`,
  `${(atYearsMs / syncMs).toFixed(2)} times at 100,000`,
);
rmSync(root, { recursive: true });
