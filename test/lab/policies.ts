/** Every policy that can be replayed, by the name that the command line knows it by. */

import { nextPlan } from "../../src/context/ladder.ts";
import { ActiveFiles } from "../../src/context/summary/files-in-work.ts";
import { composeSummary, summaryLimits } from "../../src/context/summary/compose.ts";
import { extractSummary } from "../../src/context/summary/extract.ts";
import { previousSummary } from "../../src/context/summary/read.ts";
import { signedSpan } from "../../src/context/summary/span.ts";
import { spanRange } from "../../src/context/view/rows.ts";
import type { View } from "../../src/context/types.ts";
import type { CompactionBlock } from "../../src/protocol/block.ts";
import type { Span } from "../../src/protocol/entry.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { persisted } from "./arrival.ts";
import type { FileShadow } from "./file-shadow.ts";
import { lessons, none } from "./lesson-policies.ts";
import { atRealSize, summaryChars, type ReplayPolicy, type Summary } from "./policy.ts";
import { rivals } from "./rival-policies.ts";

export const policies = {
  none,
  thresholds: product(
    { minFreed: 0, keepCalls: 0, keepFileCalls: 0, budgetChars: 30_000, budgetTightChars: 15_000 },
    "each tier at its threshold",
  ),
  keep: product({ balance: "keep" }, "ours, cost versus memory: keep"),
  balanced: product({}, "ours, cost versus memory: balanced, the default"),
  save: product({ balance: "save" }, "ours, cost versus memory: save"),
  ...lessons,
  ...rivals,
} satisfies Record<string, ReplayPolicy>;

export type PolicyName = keyof typeof policies;

const isPolicy = (name: string): name is PolicyName => Object.hasOwn(policies, name);

export const policyNames = Object.keys(policies).filter(isPolicy);

/** The same pure functions that a live session runs. */
export function product(changes: Partial<Policy>, source: string): ReplayPolicy {
  const numbers: Policy = { ...defaultPolicy, ...changes };
  return {
    source,
    numbers,
    marks: "ours",
    arrive: persisted(numbers),
    plan: (now) => nextPlan(now.moment, { ...now, policy: numbers }),
    summarize: (view, span, rules, files) => summarize(view, span, files, rules, numbers),
  };
}

function summarize(
  view: View,
  requested: Span,
  shadow: FileShadow,
  rules: ModelRules,
  policy: Policy,
): Summary {
  const { coveredChars, maxChars } = summaryLimits(view, requested, rules, policy);
  const isServers = rules.compacts && policy.engine !== "client";
  const span = isServers ? signedSpan(view, requested) : requested;
  const perToken = rules.charsPerToken.prose;
  const extract = extractSummary(spanRange(view, span), {
    earlier: previousSummary(view, span),
    maxChars: Math.min(summaryChars(perToken), Math.floor(maxChars / 2)),
  });
  const written = atRealSize(extract, Math.min(coveredChars, maxChars), perToken);
  const files = new ActiveFiles(view, span, rules, policy);
  for (const path of files.candidates) {
    if (files.isFull) break;
    files.offer(path, shadow.textOf(path));
  }
  const { text } = composeSummary({
    view,
    span,
    summary: written.text,
    by: isServers ? "server" : "model",
    files: files.chosen,
    rules,
    maxChars: isServers ? maxChars - written.text.length : maxChars,
  });
  const shown = files.chosen.filter((file) => text.includes(file.text));
  const block: CompactionBlock = { type: "compaction", content: written.text, signature: "replay" };
  return {
    text,
    byServer: isServers ? { block, span } : undefined,
    files: shown.map(({ path }) => path),
    outputTokens: written.outputTokens,
  };
}
