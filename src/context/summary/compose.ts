/** The text that replaces a covered span: the summary and the parts kept verbatim. */

import { clip, clipLine } from "../../base/clip.ts";
import { counted, countedTurns } from "../../base/format.ts";
import { coveredTokens } from "../meter/cache.ts";
import { effectiveWindow, measure, proseRatio } from "../meter/meter.ts";
import { extractUsual } from "./extract.ts";
import { findTodo, type FileNow } from "./files-in-work.ts";
import { standingContext } from "../view/standing-context.ts";
import {
  asInstruction,
  countKept,
  findInstructions,
  fitInstructions,
  listUserMessages,
  missingInstructions,
  newestMessages,
  sessionRules,
  type UserMessage,
} from "./rules.ts";
import { findLosses } from "./losses.ts";
import { findLostDecisions, previousSummary } from "./read.ts";
import type { Row, View } from "../types.ts";
import {
  spanRange,
  countFreshTurns,
  countTurns,
  type RowRange,
  wholeRange,
  canRecall,
} from "../view/rows.ts";
import { blockText } from "../../protocol/block.ts";
import type { Loss, Span, SummaryReport } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";

export type Ingredients = {
  view: View;
  span: Span;
  /** As written by the model or the server; null: built from the rows. */
  summary: string | null;
  by?: SummaryReport["by"];
  files: readonly FileNow[];
  /** A readable copy of the summarized messages, if one was written. */
  transcript?: string | undefined;
  rules: ModelRules;
  /** Limit of the composed text, in characters. */
  maxChars?: number;
};

type Written = Ingredients & { summary: string };

export type Composed = {
  /** All that the model sees of the span. With `by: "server"`, without the summary itself. */
  text: string;
  /** Turns that began in the span since the summary before. */
  turns: number;
  putBack: string[];
  losses: Loss[];
  rules: { kept: number; all: number };
};

/** Largest size of a summary with its verbatim parts, as a share of the covered span. */
const maxShare = 0.7;
/** Largest share of the window for a summary with its verbatim parts. */
const maxWindowShare = 0.4;
/** Share of the window that it may fill even if what stays after it leaves no room. */
const minWindowShare = 0.1;
/** Share of the window by which the meter may be wrong at most: see `excess`. */
const errorShare = 0.1;

/** The opening line, which says where the full messages are, always stays. */
const minChars = 500;

/** Sizes in characters of prose: of the span, and of its largest replacement. */
export function summaryLimits(
  view: View,
  span: Span,
  rules: ModelRules,
  policy: Policy,
  usedTokens = measure(view, rules, policy, 0).usedTokens,
): { coveredChars: number; maxChars: number } {
  const covered = coveredTokens(view, rules, spanRange(view, span));
  const { windowTokens } = rules;
  const effectiveTokens = effectiveWindow(rules, policy);
  // Else the newest message, which stays, would be shortened to make room for older ones.
  const room = effectiveTokens - windowTokens * errorShare - (usedTokens - covered);
  const most = Math.min(
    covered * maxShare,
    effectiveTokens * maxWindowShare,
    Math.max(room, effectiveTokens * minWindowShare),
  );
  const prose = proseRatio(view, rules);
  return { coveredChars: covered * prose, maxChars: Math.floor(most * prose) };
}

/** Limits on the user's messages, in tokens and as a share of the window. */
export const maxUserTokens = 20_000;
const userShare = 1 / 15;
/** Share of the room for user messages that restored instructions may take. */
const instructionShare = 0.5;
/** Share of the window that the session's own rules among them may take. */
const ruleShare = 0.02;
/** Shares of the room for user messages to try, once all files are dropped. */
const userShares = [1, 0.75, 0.5, 0.35, 0.25];
/** Limit for decisions of an earlier summary that the new one dropped, in characters. */
const carriedChars = 4_000;

/**
 * Opening, summary, and what is kept. If that is too long, files are dropped first, then more and more
 * of the user's messages, then the end of the summary; instructions are kept as long as possible.
 */
export function composeSummary({ summary, ...given }: Ingredients): Composed {
  const { view, span, rules } = given;
  const range = spanRange(view, span);
  const coveredChars = coveredTokens(view, rules, range) * proseRatio(view, rules);
  const { text, kept, outside, said } = composeText(
    summary === null
      ? { ...given, by: "extract", summary: extractUsual(view, span, rules, coveredChars) }
      : { ...given, summary },
  );
  const rest = given.by === "server" ? said : joinSaid(outside);
  const held = [text, rest, joinShown(outside)].join("\n");
  const losses = [...kept.dropped, ...findLosses(range, held)];
  const counts = countKept(sessionRules(view), held);
  return { text, turns: countFreshTurns(range), putBack: kept.putBack, losses, rules: counts };
}

/** The text and its parts, without the loss report, which a price does not need. */
export function composeText(ingredients: Written) {
  const { view, span, summary, files, rules } = ingredients;
  const { maxChars = Number.POSITIVE_INFINITY } = ingredients;
  const userTokens = Math.min(maxUserTokens, rules.windowTokens * userShare);
  const userChars = userTokens * proseRatio(view, rules);
  const instructionChars = Math.min(userChars * instructionShare, maxChars / 2);
  const ruleChars = rules.windowTokens * ruleShare * proseRatio(view, rules);
  const most = Math.min(userChars, maxChars);
  const limits: VerbatimLimits[] = [
    { userChars, instructionChars, files },
    { userChars, instructionChars, files: files.slice(0, 1) },
    ...userShares.map((share) => ({ userChars: most * share, instructionChars, files: [] })),
    { userChars: Math.min(2_000, maxChars / 4), instructionChars, files: [] },
    { userChars: Math.min(800, maxChars / 8), instructionChars: maxChars / 4, files: [] },
  ];
  const range = spanRange(view, span);
  const outside = remainingRows(range);
  const said = `${summary}\n${joinSaid(outside)}`;
  const turns = countTurns(range);
  const keep = keepVerbatim(range, said, ruleChars);
  let text = "";
  let kept: Verbatim = { text: "", putBack: [], dropped: [] };
  for (const limit of limits) {
    kept = keep(limit);
    text = put(ingredients, turns, summary, kept.text);
    if (text.length <= maxChars) break;
  }
  if (text.length > maxChars) text = cutDown(ingredients, turns, kept.text, maxChars);
  return { text, kept, outside, said };
}

/** Shortens first the summary, then even what is kept after it, so that the limit always holds. */
function cutDown(ingredients: Written, turns: number, kept: string, maxChars: number): string {
  const { summary } = ingredients;
  const over = put(ingredients, turns, summary, kept).length - maxChars;
  const summaryChars = Math.max(Math.min(summary.length, maxChars / 4), summary.length - over - 1);
  return clip(
    put(ingredients, turns, clip(summary, summaryChars), kept),
    Math.max(maxChars, minChars),
  );
}

function put(ingredients: Ingredients, turns: number, summary: string, kept: string): string {
  const { view, span, by = "model", transcript } = ingredients;
  // The log itself is outside the workspace.
  const copy = transcript ? ` They can also be read in ${transcript}.` : "";
  const recall = canRecall(view) ? " Recall searches them and opens handles." : "";
  const where = `The full messages are kept in the log.${recall}${copy}`;
  if (by === "server") {
    return [
      `[Kept verbatim beside the summary of ${countedTurns(turns)} above. ${where}]`,
      kept,
    ].join("\n\n");
  }
  const how = by === "model" ? "" : ", built without a model";
  const opening = `[This session continues from a summary${how} of ${countedTurns(turns)}, #${span.from} to #${span.to}. ${where} Do not ask the user to repeat what is there.]`;
  const earlier = previousSummary(view, span);
  const carried = earlier ? findLostDecisions(`${summary}\n${kept}`, earlier, carriedChars) : [];
  return [
    opening,
    `<summary>\n${withoutTags(summary)}\n</summary>`,
    carried.length === 0
      ? ""
      : `# Earlier decisions\n${carried.map((line) => `- ${clipLine(line, 500)}`).join("\n")}`,
    kept,
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** A file that steers the summary cannot pass off text as the program's own. */
const withoutTags = (summary: string): string =>
  summary
    .replace(/<\/?summary>/gi, "")
    .replace(/<(\/?(?:context|system-reminder|kept|file)\b)/gi, "&lt;$1");

/** Rows that remain visible: outside the range, or pinned, since a cover quotes pinned rows. */
const remainingRows = ({ view, from, to }: RowRange): Row[] =>
  view.rows.filter(
    ({ shown, pinned }, row) =>
      shown !== "covered" && shown !== "unsent" && (pinned || row < from || row > to),
  );

/** The words of user, model and program in these rows. */
const joinSaid = (rows: readonly Row[]): string =>
  rows
    .flatMap(({ entry }) =>
      entry.type === "user" || entry.type === "assistant" || entry.type === "context"
        ? [blockText(entry.content)]
        : [],
    )
    .join("\n");

/** Tool inputs and results in these rows, as the model still sees them. */
const joinShown = (rows: readonly Row[]): string =>
  rows
    .flatMap(({ entry, text }) => {
      if (entry.type === "result") return [text ?? blockText(entry.content)];
      if (entry.type !== "assistant") return [];
      return entry.content.flatMap((block) =>
        block.type === "tool_use" ? [JSON.stringify(block.input)] : [],
      );
    })
    .join("\n");

/** How much is kept of each part, in characters. */
type VerbatimLimits = {
  userChars: number;
  instructionChars: number;
  files: readonly FileNow[];
};

type Verbatim = {
  text: string;
  putBack: string[];
  /** Instructions that did not fit. */
  dropped: Loss[];
};

/**
 * Keeps the user's messages, standing instructions, the mode, the todo list and the active files within
 * limits. `covered` are the rows being summarized; `said` is what the summary and the remaining messages
 * say; `ruleChars` is the room for rules of the session.
 */
function keepVerbatim(
  covered: RowRange,
  said: string,
  ruleChars: number,
): (limits: VerbatimLimits) => Verbatim {
  const messages = listUserMessages(covered);
  const rules = sessionRules(covered.view).map(asInstruction);
  const instructions = [...rules, ...findInstructions(messages)];
  const standing = standingContext(covered);
  const told = (isInstruction: boolean): string[] =>
    standing
      .filter(({ kind }) => (kind === "instructions") === isInstruction)
      .map((entry) => part(`${entry.title} (${entry.kind})`, [blockText(entry.content)]));
  const first = told(true);
  const todo = findTodo(wholeRange(covered.view));
  const last = [
    ...told(false),
    part(
      "Todo list",
      todo.map(({ content, status }) => `- [${marks[status]}] ${content}`),
    ),
  ];
  return ({ userChars, instructionChars, files }) => {
    const kept = newestMessages(messages, userChars, canRecall(covered.view));
    const title =
      kept.length < messages.length
        ? `The user's newest ${kept.length} of ${messages.length} messages, verbatim`
        : "The user's messages so far, verbatim";
    const words = part(title, toLines("", kept));
    const before = [...first, words, ...last];
    // A file may repeat an instruction by chance, so files do not count as keeping it.
    const missing = missingInstructions([said, ...before].join("\n"), instructions);
    const { kept: back, dropped } = fitInstructions(missing, instructionChars, ruleChars);
    const again = part(
      "Rules that still apply: follow each of them exactly; a later one overrides an earlier one",
      toLines("- ", back),
    );
    return {
      // Rules go last, since models follow the end of a text best.
      text: [...before, ...files.map(showFile), again].filter((text) => text !== "").join("\n\n"),
      putBack: back.map(({ text }) => text),
      dropped: dropped.map(lostInstruction),
    };
  };
}

const toLines = (bullet: string, said: readonly UserMessage[]): string[] =>
  said.map(({ entry, text }) => `${bullet}[#${entry}] ${text}`);

const lostInstruction = ({ text, entry }: UserMessage): Loss => ({
  kind: "instruction",
  text,
  entry,
});

/** Labeled, so that the model does not mistake a file's text for the user's. */
function showFile({ path, text, lines }: FileNow): string {
  const body = text.replace(/<(\/?)file\b/gi, "&lt;$1file");
  return `# ${path} as it is on disk now (${counted(lines, "line")})\n<file>\n${body}\n</file>`;
}

const part = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `# ${title}\n${lines.join("\n")}`;

const marks = { pending: " ", in_progress: ">", completed: "x" };
