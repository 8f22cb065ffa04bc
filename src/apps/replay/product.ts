/** The product's own policies: the same pure functions that a live session runs. */

import { economyTuning } from "../../context/economy-tuning.ts";
import { nextPlan } from "../../context/pipeline.ts";
import { composeSummary, type FileNow } from "../../context/summary/compose.ts";
import { extractSummary } from "../../context/summary/extract.ts";
import { excerpt, editHistoryOf } from "../../context/summary/excerpt.ts";
import { filesInWork } from "../../context/summary/files-in-work.ts";
import { rowsOf } from "../../context/summary/user-messages.ts";
import type { View } from "../../context/types.ts";
import type { Span } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import { defaultPolicy, type Policy } from "../../protocol/policy.ts";
import { bounded } from "./ingest.ts";
import type { FileShadow } from "./files.ts";
import type { ReplayPolicy, Summary } from "./policy.ts";

/** What a model writes for a summary, its analysis included; the text itself is made without one. */
export const summaryOutputTokens = 2_500;

export const product = (
  name: Policy["policy"],
  changes: Partial<Policy> = {},
  source = "DESIGN.md, the four tiers",
): ReplayPolicy => {
  const numbers: Policy = { ...defaultPolicy, ...changes, policy: name };
  return {
    name,
    source,
    numbers,
    marks: "ours",
    arrive: bounded(numbers),
    plan: (moment, view, reading, rules) => nextPlan(moment, view, reading, numbers, rules),
    summarise: (view, span, files, rules) => summarise(view, span, files, rules, numbers),
  };
};

function summarise(
  view: View,
  span: Span,
  shadow: FileShadow,
  rules: ModelRules,
  policy: Policy,
): Summary {
  const rows = rowsOf(view, span);
  const files = filesNow(view, span, shadow, rules, policy);
  const { text } = composeSummary({
    view,
    span,
    summary: extractSummary(rows),
    files,
    logFile: "~/.mini-claude/sessions/recorded.jsonl",
    rules,
    policy,
  });
  const shown = files.filter((file) => !file.outline).map(({ path }) => path);
  return { text, files: shown, outputTokens: summaryOutputTokens };
}

/** Beyond this the list of files that were touched is not gone through. */
const mostLooked = 20;

/** The files in work as the compactor would read them. */
function filesNow(
  view: View,
  span: Span,
  shadow: FileShadow,
  rules: ModelRules,
  policy: Policy,
): FileNow[] {
  const { summary } = policy;
  const perToken = rules.charsPerToken.code;
  const files: FileNow[] = [];
  const work = editHistoryOf(view);
  let wholes = 0;
  let left = summary.filesTokens * perToken;
  for (const { path } of filesInWork(view, span, mostLooked)) {
    const known = shadow.textOf(path);
    if (known === null || known.trim() === "") continue;
    const largeChars = Math.min(summary.fileTokens * perToken, left);
    const shown = excerpt(path, known, largeChars, work, policy, economyTuning(rules.windowTokens));
    if (!shown || shown.text.length > left || (!shown.isPart && wholes >= summary.files)) continue;
    left -= shown.text.length;
    if (!shown.isPart) wholes++;
    files.push({ path, text: shown.text, lines: known.split("\n").length, outline: shown.isPart });
  }
  return files;
}
