/**
 * A law: what a summary leaves is what was promised; exactly where it is ready. Where it is still to be written, within
 * 5 % for a summary of the usual length, of which any other takes so many tokens less or more.
 */

import { expect, test } from "bun:test";
import { summaryPlan } from "../../src/context/ladder.ts";
import { proseRatio } from "../../src/context/meter/meter.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { world, writes } from "../agent/compaction/harness.ts";
import { MemoryLog } from "../agent/memory-log.ts";
import { Builder, rules, say } from "./build.ts";
import { readSignals } from "./compact.ts";
import fc from "../properties.ts";
import { prose } from "./sessions.ts";

const model = { ...rules, windowTokens: 200_000, thinking: "none" as const, compacts: false };

type Turn = { words: number; file: number; chars: number; edits: boolean; says: number };

const aTurn = fc.record({
  words: fc.constantFrom(40, 400, 4_000, 20_000),
  file: fc.integer({ min: 0, max: 11 }),
  chars: fc.constantFrom(300, 4_000, 12_000, 26_000),
  edits: fc.boolean(),
  says: fc.constantFrom(100, 2_000),
});

const numbered = (text: string): string =>
  text
    .split("\n")
    .map((line, at) => `${String(at + 1).padStart(6)}→${line}`)
    .join("\n");

/** A session of these turns, and its files as they are on disk. */
function play(turns: readonly Turn[]): { session: Builder; disk: Map<string, string> } {
  const session = new Builder();
  const disk = new Map<string, string>();
  for (const [index, { words, file, chars, edits, says }] of turns.entries()) {
    session.user(`Always mind number ${index}. ${prose(words)}`);
    const path = `/w/file${file}.ts`;
    const text = disk.get(path) ?? `export const a${file} = 1;\n${prose(chars)}`;
    disk.set(path, text);
    const stamp = { path, hash: "h", bytes: text.length };
    session.step(`r${index}`, numbered(text), { stamps: [{ ...stamp, does: "read" }] });
    if (edits) {
      const content = `${text}\n${prose(words)}`;
      disk.set(path, content);
      const stamps = [{ ...stamp, bytes: content.length, does: "write" as const }];
      const input = { file_path: path, content };
      session.step(`e${index}`, "Written.", { tool: "Write", input, stamps });
    }
    session.answer([say(prose(says))]);
  }
  session.user("And now?");
  return { session, disk };
}

/** What the agent leaves with this summary by its model; null: none can write one. */
async function summarize(
  session: Builder,
  disk: ReadonlyMap<string, string>,
  summary: string | null,
) {
  const log = new MemoryLog();
  log.path = session.path;
  log.entries.push(...session.path);
  const answer = writes(`<summary>${summary}</summary>`);
  const one = await world([answer, answer, answer], {
    log,
    rules: { ...model, ...(summary === null && { summarizes: false }) },
    nowMs: session.nowMs,
    parts: { readFile: async (path) => disk.get(path) ?? null },
  });
  await one.compact();
  return { left: one.session.reading.usedTokens, by: one.cut().summary?.by };
}

const planOf = (session: Builder, rules: ModelRules = model) => {
  const plan = summaryPlan(readSignals(session, rules, defaultPolicy));
  return plan && "summarize" in plan ? plan : null;
};

test.each([
  ["is ready", true],
  ["no model writes", false],
])("a summary that %s leaves exactly what was promised", async (_, isReady) => {
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(aTurn, { minLength: 3, maxLength: 24, size: "max" }),
      fc.integer({ min: 200, max: 20_000 }),
      async (turns, chars) => {
        const { session, disk } = play(turns);
        // For a model that writes summaries, the same span was priced before.
        const span = planOf(session)?.summarize;
        if (!span) return;
        if (isReady) session.attempt({ draft: { span, text: prose(chars) } });
        const plan = planOf(session, isReady ? model : { ...model, summarizes: false });
        if (!plan || (isReady && !plan.draft)) return;
        const { left } = await summarize(session, disk, null);
        expect(Math.abs(left - plan.price.usedAfter)).toBeLessThanOrEqual(2);
        checked++;
      },
    ),
    { numRuns: isReady ? 25 : 12 },
  );
  expect(checked).toBeGreaterThan(5);
});

test("where the model fails, no more is left than promised, however much there is to say", async () => {
  const session = new Builder();
  for (let turn = 0; turn < 45; turn++) {
    session.user(`Always mind number ${turn} ${prose(300).replaceAll(/[.\n]/g, " ")}.`);
    session.step(`r${turn}`, prose(6_000));
    session.answer([say(`Done with ${turn}. ${prose(2_000)}`)]);
  }
  session.user("And now?");
  const promised = planOf(session)?.price.usedAfter ?? 0;
  const { left, by } = await summarize(session, new Map(), "");
  expect(by).toBe("extract");
  expect(left).toBeLessThanOrEqual(promised * 1.05);
});

/** Of a summary before it is written, as the price assumes it. */
const usualTokens = 3_000;

/**
 * How long a summary gets is up to the model, and known once it is written. What stands beside it is known before:
 * so what is left differs from what was promised by the difference of the summary's own length, and by 5 %.
 */
test("a summary of any length leaves within 5 % of what was promised for its length", async () => {
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(aTurn, { minLength: 12, maxLength: 30, size: "max" }),
      fc.double({ min: 0.1, max: 2.6, noNaN: true }),
      async (turns, share) => {
        const { session, disk } = play(turns);
        const plan = planOf(session);
        if (!plan || plan.price.usedBefore < 60_000) return;
        const chars = usualTokens * share * proseRatio(session.view, model);
        const { left, by } = await summarize(session, disk, prose(chars));
        if (left < 20_000 || by !== "model") return;
        checked++;
        const promised = plan.price.usedAfter + usualTokens * (share - 1);
        expect(Math.abs(left / promised - 1)).toBeLessThan(0.05);
      },
    ),
    { numRuns: 25 },
  );
  expect(checked).toBeGreaterThan(10);
});
