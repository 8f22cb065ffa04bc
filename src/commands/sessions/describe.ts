/** Sessions and entries in a line each. */

import { takeStart } from "../../base/clip.ts";
import type { SessionInfo } from "../../log/catalog.ts";
import { subjectOf, textOf, type Block } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";

/** Name, last change, size and title. */
export function describeSessionLine({
  session,
  title,
  changedMs,
  entries,
  busy,
}: SessionInfo): string {
  const changed = new Date(changedMs).toISOString().slice(0, 16).replace("T", " ");
  const count = String(entries).padStart(6);
  return `${session}  ${changed}  ${count} entries  ${busy ? "(open) " : ""}${oneLine(title, 80)}`;
}

/** The start of a text without line breaks and control characters. */
export const oneLine = (text: string, chars: number): string =>
  takeStart(
    text
      .slice(0, chars * 4)
      .replace(/[\p{Cc}\s]+/gu, " ")
      .trim(),
    chars,
  );

const lineChars = 160;

/** One line for each part of an entry that a person would want to see; none for bookkeeping. */
export function describeEntry(entry: Entry): string[] {
  const at = entry.at.slice(11, 19);
  const line = (who: string, text: string): string[] =>
    text.trim() === "" ? [] : [`${at}  ${who.padEnd(7)} ${oneLine(text, lineChars)}`];
  switch (entry.type) {
    case "user":
      return line("you", textOf(entry.content));
    case "assistant":
      return entry.content.flatMap((block) => line(...describeBlock(block)));
    case "result":
      return line(entry.isError ? "error" : "result", textOf(entry.content) || "(no output)");
    case "cut":
      return line("cut", `${entry.tier}: ${entry.reason}`);
    case "note":
      return entry.kind === "title" ? [] : line("note", entry.text);
    default:
      return [];
  }
}

function describeBlock(block: Block): [who: string, text: string] {
  switch (block.type) {
    case "text":
      return ["model", block.text];
    case "tool_use":
      return ["call", `${block.name} ${subjectOf(block.input)?.text ?? ""}`];
    default:
      return ["", ""];
  }
}
