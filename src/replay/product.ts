/** The product's own policies: the same pure functions that a live session runs. */

import { nextPlan } from "../context/pipeline.ts";
import { composeSummary, type FileNow } from "../context/summary/compose.ts";
import { extractSummary } from "../context/summary/extract.ts";
import { outline } from "../context/summary/outline.ts";
import { filesIn } from "../context/summary/work.ts";
import { rowsOf } from "../context/summary/words.ts";
import type { View } from "../context/types.ts";
import type { Span } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import { defaultPolicy, type Policy } from "../protocol/policy.ts";
import { bounded } from "./arrive.ts";
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

/** The files in work as the compactor would read them: whole, or an outline of a large one. */
function filesNow(
  view: View,
  span: Span,
  shadow: FileShadow,
  rules: ModelRules,
  policy: Policy,
): FileNow[] {
  const perToken = rules.charsPerToken.code;
  const files: FileNow[] = [];
  let left = policy.summary.filesTokens * perToken;
  for (const { path } of filesIn(rowsOf(view, span))) {
    if (files.length >= policy.summary.files) break;
    const known = shadow.textOf(path);
    if (known === null) continue;
    const large = known.length > policy.summary.fileTokens * perToken;
    const text = large ? outline(known) : known;
    if (text === "" || text.length > left) continue;
    left -= text.length;
    files.push({ path, text, lines: known.split("\n").length, outline: large });
  }
  return files;
}
