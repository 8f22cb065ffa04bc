/** Titles, sizes, prices and times as short text. */

import { counted } from "../../base/format.ts";
import { describeCut } from "../../context/describe-cut.ts";
import { type Block, findSubject, blockText, type ToolInput } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { sanitizeLine } from "../sanitize.ts";
import { homedir } from "node:os";
import { sep } from "node:path";
import { takeStart } from "../../base/clip.ts";
import { findCall } from "../../context/view/rows.ts";
import type { View } from "../../context/types.ts";

const agentTool = "Agent";

/** Names of tools that are no words, as people say them. */
const spokenNames = new Map([
  ["ExitPlanMode", "Plan"],
  ["AskUserQuestion", "Ask"],
  ["TodoWrite", "Todo"],
]);

const spokenName = (tool: string): string => spokenNames.get(tool) ?? tool;

/** A call in one line: its name and most telling argument. */
export function callTitle(tool: string, input: ToolInput): string {
  const name = spokenName(tool);
  if (name === agentTool) {
    const type = input["subagent_type"] ?? "general-purpose";
    return sanitizeLine(`${name} ${String(type)}: ${String(input["description"])}`);
  }
  const subject = findSubject(input);
  if (subject) {
    const { key, text } = subject;
    const folder = input["path"];
    const where = typeof folder === "string" && key === "pattern" ? ` in ${folder}` : "";
    const lines = key === "file_path" ? showLineRange(input) : "";
    const shown = key === "plan" ? (/[^#\s].*/.exec(text)?.[0] ?? "") : text;
    return sanitizeLine(`${name} ${shown}${lines}${where}`);
  }
  const { todos } = input;
  if (Array.isArray(todos)) return sanitizeLine(`${name} ${counted(todos.length, "item")}`);
  return sanitizeLine(`${name} ${JSON.stringify(input)}`);
}

/** The lines that a call asks for: ":21-170"; empty: all of them. */
export function showLineRange({ offset, limit }: ToolInput): string {
  const first = typeof offset === "number" ? offset : 1;
  if (typeof limit === "number") return `:${first}-${first + limit - 1}`;
  return first > 1 ? `:${first}-` : "";
}

/** "812 B", "3.4 KB", "12 MB". */
export function showBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${Math.round(bytes / 1024 ** 2)} MB`;
}

/** "950", "12.3k", "1.2M". */
export function showTokens(tokens: number): string {
  const size = Math.abs(tokens);
  if (size < 1_000) return String(Math.round(tokens));
  if (size < 100_000) return `${(tokens / 1_000).toFixed(1)}k`;
  if (size < 1_000_000) return `${Math.round(tokens / 1_000)}k`;
  return `${(tokens / 1_000_000).toFixed(2)}M`;
}

/** "950", "5.0k", "76k", "1.2M", "1M": fewer digits than `showTokens`. */
export function shortTokens(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens >= 999_500) return `${shortened(tokens / 1_000_000).replace(/\.0$/, "")}M`;
  return `${shortened(tokens / 1_000)}k`;
}

const shortened = (value: number): string =>
  value < 9.95 ? value.toFixed(1) : String(Math.round(value));

/** "4.2 s", "3 min"; empty below a second. */
export function showDuration(ms: number): string {
  if (!(ms >= 1_000)) return "";
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

/** `isEstimate`: the prices of the model are. */
export const showUsd = (usd: number, isEstimate = false): string =>
  usd === 0 ? "$0" : `${isEstimate ? "~" : ""}$${usd.toFixed(usd < 0.01 ? 4 : 2)}`;

/** How long ago a time (ISO 8601) was, in a column: "  12s", "   5m"; an unreadable one is now. */
export const formatAge = (at: string, nowMs: number): string =>
  showAge(nowMs - (Date.parse(at) || nowMs)).padStart(5);

/** How long ago, "12s", "5m", "3h", "2d". */
export function showAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
}

/** A path with "~" for the home folder. */
export function homePath(path: string, home: string = homedir()): string {
  if (home.length < 2) return path;
  if (path === home) return "~";
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}

/** An entry in one line: who, and the first words. */
export function describeEntry(view: View, entry: Entry): string {
  const words = wordsOfEntry(view, entry);
  if (entry.type === "user") return `you: ${words}`;
  if (entry.type === "context" && words !== entry.kind) return `${entry.kind}: ${words}`;
  return entry.type === "assistant" && !callsOnly(entry) ? `answer: ${words}` : words;
}

export function wordsOfEntry(view: View, entry: Entry): string {
  switch (entry.type) {
    case "result":
      return callTitle(entry.tool, findCall(view, entry)?.input ?? {});
    case "context":
      return sanitizeLine(entry.title);
    case "user":
      return entry.typed === undefined ? firstWords(entry.content) : sanitizeLine(entry.typed);
    case "assistant":
      return callsOnly(entry) ?? firstWords(entry.content);
    case "cut":
      return describeCut(entry);
    default:
      return entry.type;
  }
}

/** Without the marks of Markdown, which say nothing in a line. */
const firstWords = (content: readonly Block[]): string =>
  takeStart(
    sanitizeLine(
      blockText(content)
        .trim()
        .replace(/\*\*|`+|^#+ /gm, "")
        .replace(/\s+/g, " "),
    ),
    120,
  );

/** The calls of an answer without words; null if it has any, or makes no calls. */
function callsOnly({ content }: EntryOf<"assistant">): string | null {
  const calls = content.flatMap((block) =>
    block.type === "tool_use" ? [spokenName(block.name)] : [],
  );
  if (calls.length === 0 || blockText(content).trim() !== "") return null;
  return `calls ${sanitizeLine(calls.join(", "))}`;
}

/** A message of the user as it was typed. */
export const typedText = ({ content, typed }: EntryOf<"user">): string =>
  typed ?? blockText(content);

/** The beginning of a message of the user, in one line. */
export const messageText = (message: EntryOf<"user">): string =>
  takeStart(sanitizeLine(typedText(message)) || "(an image)", 200);
