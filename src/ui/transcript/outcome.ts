/** How a call ended, in a few words and the lines that matter; calls that share a row. Pure. */

import { counted } from "../../base/format.ts";
import { blockText, type ToolInput, type ToolUseBlock } from "../../protocol/block.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import { usedBy } from "../../protocol/model.ts";
import { parseTodos, todoTool } from "../../protocol/todo.ts";
import { askingTools, type Item, sentEntry } from "../items.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import { callTitle, showDuration, showLineRange, showTokens, showUsd } from "./format.ts";
import { diffSize, isDiff } from "./diff-lines.ts";
import { basename } from "node:path";
import type { View } from "../../context/types.ts";
import { findRow } from "../../context/view/rows.ts";
import { isOpen, type ScreenState } from "../state.ts";

export type ToolItem = Extract<Item, { kind: "tool" }>;

/** "exit 1", "ok · 12 lines", "+4 −2", "293 lines", "denied". */
export function describeOutcome(
  call: Pick<ToolUseBlock, "name" | "input">,
  result: EntryOf<"result" | "step">,
): string {
  const { name, input } = call;
  const text = blockText(result.content);
  if (result.isError) {
    const code = /^\[exit code (\d+)\]/m.exec(text)?.[1];
    if (code !== undefined) return `exit ${code}`;
    if (text.startsWith("The user denied this call")) return "denied";
    if (text.startsWith("A hook blocked this call")) return "blocked";
    if (text.startsWith("Plan mode: ")) return "not in plan mode";
    return /^\[(timed out|killed|interrupted)/m.exec(text)?.[1] ?? "failed";
  }
  if (result.subagent) {
    const { calls, usage, usd, isEstimate } = result.subagent;
    const tokens = `${showTokens(usedBy(usage))} tokens`;
    return [counted(calls, "call"), tokens, showUsd(usd, isEstimate)].join(" · ");
  }
  if (result.spent) {
    const { usd, isEstimate } = result.spent;
    return `${counted(result.lines, "line")} · ${showUsd(usd, isEstimate)}`;
  }
  const todos = name === todoTool ? parseTodos(input) : null;
  if (todos)
    return `${todos.filter(({ status }) => status === "completed").length} of ${todos.length} done`;
  if (isInBackground(text)) return "in the background";
  const said = describeAnswer(result);
  if (said !== null) return said;
  const change = readChange(result);
  if (isDiff(change)) {
    const { added, removed } = diffSize(change);
    return `+${added} −${removed}`;
  }
  if (text.trim() === "" || text === "(no output)") return "ok";
  if (typeof input["command"] === "string") return `ok · ${counted(result.lines, "line")}`;
  return foundNothing(text) ? "no match" : counted(...measureExtent(call, result));
}

const answersTitle = "The user's answers:\n";

/** The user's answers, a line each; null: the call asked nothing. Any other tool may print the same words. */
export function readAnswers({ tool, content }: EntryOf<"result" | "step">): string | null {
  const text = blockText(content);
  return askingTools.has(tool) && text.startsWith(answersTitle)
    ? text.slice(answersTitle.length)
    : null;
}

function describeAnswer(result: EntryOf<"result" | "step">): string | null {
  const answers = readAnswers(result);
  if (answers !== null) return answers.includes("\n  (not answered") ? "not answered" : "answered";
  if (!askingTools.has(result.tool)) return null;
  const verdict = /^The user (approved|did not approve) /.exec(blockText(result.content))?.[1];
  return verdict === undefined ? null : verdict === "approved" ? verdict : "not approved";
}

/** The change that a call made, else its result, where older sessions hold the diff. */
export const readChange = (result: EntryOf<"result" | "step">): string =>
  result.diff ?? blockText(result.content);

/** How many lines a call read, wrote or found, or how many files. */
function measureExtent(
  { name, input }: Pick<ToolUseBlock, "name" | "input">,
  result: EntryOf<"result" | "step">,
): [count: number, what: "line" | "file"] {
  const { content: written } = input;
  if (typeof input["file_path"] === "string" && typeof written === "string")
    return [written.replace(/\n$/, "").split("\n").length, "line"];
  const page = result.stamps?.find(({ does }) => does === "read")?.lines;
  if (page) return [page[1] - page[0] + 1, "line"];
  const isList = name === "Glob" || (name === "Grep" && isOfFiles(input));
  if (!isList || result.file !== undefined) return [result.lines, "line"];
  const text = blockText(result.content);
  const listed = text.split("\n").filter((line) => !/^(?:\[|Found \d|$)/.test(line));
  const more = /^\[([\d,]+) more file/m.exec(text)?.[1]?.replaceAll(",", "") ?? 0;
  return [listed.length + Number(more), "file"];
}

const isOfFiles = ({ output_mode: mode = "files_with_matches" }: ToolInput): boolean =>
  mode === "files_with_matches" || mode === "count";

/** Whether a command's result tells the model that the command runs in the background. */
export const isInBackground = (text: string): boolean =>
  /^(?:Running in the background as|Working in the background, in session) /.test(text);

const foundNothing = (text: string): boolean => /^No (?:match in|file matches) .*\.$/.test(text);

export function showRunTime({ result, startedAt }: ToolItem): string {
  const ms = Date.parse(result?.at ?? "") - Date.parse(startedAt);
  return showDuration(ms);
}

/** The result of a call that the user denied, with the reason they gave. */
const denial = /^The user denied this call(?: and said: ([^]*)|\. .*)$/;

const maxErrorLines = 4;

/** The first lines of an error and its last one; bracketed notes are already in the outcome. */
export function errorLines(result: EntryOf<"result">): string[] {
  const text = sanitize(blockText(result.content)).replace(
    denial,
    (_, reason: string | undefined) => (reason === undefined ? "" : `You said: ${reason}`),
  );
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\[.*\]$/.test(line));
  if (lines.length <= maxErrorLines) return lines;
  const rest = lines.length - maxErrorLines;
  return [
    ...lines.slice(0, maxErrorLines - 1),
    `… ${counted(rest, "more line")}`,
    lines.at(-1) ?? "",
  ];
}

/** The calls that share the row of the one at `index`, in order; null: it has a row of its own. */
export function findNeighbors(
  state: ScreenState,
  view: View,
  index: number,
): readonly ToolItem[] | null {
  const item = state.items[index];
  if (item?.kind !== "tool") return null;
  const group: ToolItem[] = [];
  for (let place = item.groupStart; ; place++) {
    const next = state.items[place];
    if (next?.kind !== "tool" || next.groupStart !== item.groupStart) break;
    if (next.result === null || next.result.isError || isOpen(state, next)) return null;
    // A result that is not sent in full has a badge in its row.
    if (next.result.file !== undefined) return null;
    if (findRow(view, sentEntry(next))?.by !== undefined) return null;
    group.push(next);
  }
  return group.length > 1 ? group : null;
}

/** "Read meter.ts, layout.ts" */
export function neighborsTitle(group: readonly ToolItem[]): string {
  const [first] = group;
  const name = first?.call.name ?? "";
  const what = group.map(({ call: { input } }) => {
    const path = input["file_path"];
    return typeof path === "string"
      ? `${basename(path)}${showLineRange(input)}`
      : callTitle(name, input).slice(sanitizeLine(name).length + 1);
  });
  return sanitizeLine(`${name} ${what.join(", ")}`);
}

/** "293 lines" */
export function neighborsOutcome(group: readonly ToolItem[]): string {
  const found = group.flatMap(({ call, result }) =>
    result && !foundNothing(blockText(result.content)) ? [measureExtent(call, result)] : [],
  );
  const [first] = found;
  if (first === undefined) return "no match";
  const isSame = found.every(([, what]) => what === first[1]);
  return counted(
    found.reduce((sum, [count]) => sum + count, 0),
    isSame ? first[1] : "line",
  );
}
