/**
 * How near the meter comes to what the server then counted, on recorded sessions:
 * `bun test/lab/bench/meter.ts FOLDER`. Prints a table; nothing is sent or written.
 */

import { measure } from "../../../src/context/meter/meter.ts";
import { Projection } from "../../../src/context/view/view.ts";
import { lookUpRules } from "../../../src/model/catalog.ts";
import { usedBy } from "../../../src/protocol/model.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { percent, quantile, readRecordings, Writer, type Recorded } from "./recorded.ts";

/** The first calls of a session teach the meter the overhead and the tokenizer. */
const firstCalls = 3;

type Miss = {
  meter: number;
  /** The last count plus a quarter of the characters since. */
  anchoredQuarter: number;
  /** A quarter of all characters. */
  quarter: number;
  /** Whether the true value lies within the meter's own error bar. */
  within: boolean;
  /** For what is new since the last count: signed error / new tokens. */
  ofNew: number;
  detail: string;
};

type Source = { name: string; first: Miss[]; later: Miss[]; afterCut: Miss[] };

function follow({ model, moments, name }: Recorded): Omit<Source, "name"> {
  const found: Omit<Source, "name"> = { first: [], later: [], afterCut: [] };
  const writer = new Writer();
  const projection = new Projection();
  const push = (fact: Parameters<Writer["entry"]>[0], atMs: number) => {
    const entry = writer.entry(fact, atMs);
    projection.push(entry);
    return entry;
  };
  push({ type: "session", version: 1, session: name, cwd: "/", model, system: "", tools: [] }, 0);
  let now = 0;
  let answers = 0;
  let asked = model;
  let cut = false;
  let last: { used: number; chars: number } | null = null;
  let first: string | null = null;
  let newest: string | null = null;
  const charsNow = () => projection.view.rows.reduce((sum, { chars }) => sum + chars, 0);
  for (const { atMs, facts, compacted, cleared } of moments) {
    now = atMs ?? now + 1_000;
    if (cleared) cut = true;
    for (const fact of facts) {
      if (fact.type === "assistant") {
        if (fact.model !== "" && fact.model !== asked && usedBy(fact.usage) > 0) {
          asked = fact.model;
          push({ type: "model", model: asked }, now);
        }
        const used = usedBy(fact.usage) - fact.usage.output;
        if (used > 0) {
          const rules = lookUpRules(asked);
          const reading = measure(projection.view, rules, defaultPolicy, now);
          const chars = charsNow();
          const miss = reading.usedTokens - used;
          const added = last ? used - last.used : used;
          const list = cut ? found.afterCut : answers < firstCalls ? found.first : found.later;
          const anchored: number = last ? last.used + (chars - last.chars) / 4 : chars / 4;
          list.push({
            meter: Math.abs(miss) / used,
            anchoredQuarter: Math.abs(anchored - used) / used,
            quarter: Math.abs(chars / 4 - used) / used,
            within: Math.abs(miss) <= reading.errorTokens,
            ofNew: miss / Math.max(1, added),
            detail: `${name} call ${answers}: ${reading.usedTokens} for ${used}, ${added} new`,
          });
          last = { used, chars };
          cut = false;
          answers++;
        }
      }
      if (compacted && first !== null && newest !== null && fact.type === "user") {
        const summary = fact.content.flatMap((b) => (b.type === "text" ? [b.text] : [])).join("\n");
        push(
          {
            type: "cut",
            tier: "summary",
            trigger: "auto",
            reason: "recorded",
            changes: [
              { kind: "cover", span: { from: first, to: newest }, text: summary || "(opaque)" },
            ],
            price: { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null },
          },
          now,
        );
        cut = true;
        continue;
      }
      const entry = push(fact, now);
      if (fact.type === "user" || fact.type === "assistant") first ??= entry.id;
      newest = entry.id;
    }
  }
  return found;
}

const [folder = "/work/shared/traces", flag] = process.argv.slice(2);
const sources = new Map<string, Source>();
for (const recorded of await readRecordings(folder)) {
  const name = `${recorded.agent} ${recorded.model.replace(/-\d{8}$/, "")}`;
  const source = sources.get(name) ?? { name, first: [], later: [], afterCut: [] };
  const { first, later, afterCut } = follow(recorded);
  source.first.push(...first);
  source.later.push(...later);
  source.afterCut.push(...afterCut);
  sources.set(name, source);
}
const all: Source = { name: "all", first: [], later: [], afterCut: [] };
for (const { first, later, afterCut } of sources.values()) {
  all.first.push(...first);
  all.later.push(...later);
  all.afterCut.push(...afterCut);
}
const both = (misses: readonly Miss[], of: (miss: Miss) => number): string =>
  `${percent(quantile(misses.map(of), 0.5))} / ${percent(quantile(misses.map(of), 0.95))}`;

console.log(
  `Median / 95th percentile of |prediction - counted| / counted, before each call from the ${firstCalls + 1}th on\n`,
);
for (const { name, later, first, afterCut } of [...sources.values(), all]) {
  if (later.length === 0) continue;
  const within = later.filter((miss) => miss.within).length / later.length;
  console.log(
    `${name.padEnd(32)} ${String(later.length).padStart(5)} calls  meter ${both(later, (m) => m.meter).padEnd(16)} usage + chars/4 ${both(later, (m) => m.anchoredQuarter).padEnd(16)} chars/4 ${both(later, (m) => m.quarter).padEnd(17)} in error bar ${percent(within)}  bias of new ${percent(
      quantile(
        later.map((m) => m.ofNew),
        0.5,
      ),
    )}  first calls ${both(first, (m) => m.meter)}  after a cut (${afterCut.length}) ${both(afterCut, (m) => m.meter)}`,
  );
}
if (flag === "--worst")
  for (const miss of all.later.toSorted((a, b) => b.meter - a.meter).slice(0, 60))
    console.log(percent(miss.meter), miss.detail);
