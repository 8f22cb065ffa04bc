/** A summary built without a model, from the rows alone. */

import { clip, clipLine } from "../../base/clip.ts";
import { textOf } from "../../protocol/block.ts";
import { instructionsIn } from "./instructions.ts";
import { linesAbout } from "./sections.ts";
import type { FileTouched } from "../history.ts";
import { commandsIn, lastWords, todoIn } from "./files-in-work.ts";
import { uncovered, type RowRange } from "../row-range.ts";
import { userMessagesIn } from "./user-messages.ts";

/**
 * The user's requests, the model's decisions, files, commands and their outcome, errors and the
 * current state, in the sections of a written summary. At most `maxChars` characters, of which the
 * `earlier` summary takes up to a third.
 */
export function extractSummary(
  range: RowRange,
  { earlier = null, maxChars = 24_000 }: { earlier?: string | null; maxChars?: number } = {},
): string {
  const words = userMessagesIn(range);
  const files = range.view.history.files(range);
  const open = todoIn(range).filter(({ status }) => status !== "completed");
  const sections = [
    section("1. Intent", [
      ...words.slice(0, 1).map(({ text }) => clipLine(text, 800)),
      ...instructionsIn(words)
        .filter(({ standing }) => standing)
        .map(({ text }) => clipLine(text, 400))
        .slice(-30),
    ]),
    section("2. Decisions", decisions(range)),
    section("3. Files", [
      ...named(files, true).map((path) => `changed: ${path}`),
      ...named(files, false).map((path) => `read: ${path}`),
    ]),
    section("4. Errors", errors(range)),
    section(
      "5. The user's messages",
      words.slice(-20).map(({ entry, text }) => `#${entry}: ${clipLine(text, 200)}`),
    ),
    section(
      "6. Open work",
      open.map(
        ({ content, status }) => `${content}${status === "in_progress" ? " (in progress)" : ""}`,
      ),
    ),
    section("7. Current state", [...commands(range), clipLine(lastWords(range), 1_500)]),
    section("8. Next step", [clipLine(words.at(-1)?.text ?? "", 400)]),
  ].filter((text) => text !== "");
  const before = earlier === null ? "" : earlierPart(earlier, Math.floor(maxChars / 3));
  return [before, clip(sections.join("\n\n"), maxChars - before.length)]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Decisions in rows that no earlier summary covers; older ones are in that summary. */
function decisions(range: RowRange): string[] {
  const sentences = [...uncovered(range)].flatMap(({ entry }) =>
    entry.type === "assistant" && entry.stop !== "failed"
      ? textOf(entry.content).split(/(?<=[.!?])\s+|\n+/)
      : [],
  );
  const decided = /\b(?:decided|instead of|rather than|chose|because|root cause|turns out)\b/i;
  return sentences
    .filter((one) => one.length > 20 && decided.test(one))
    .slice(-12)
    .map((one) => clipLine(one.replace(/^\s*[-*•]\s+/, ""), 300));
}

const named = (files: readonly FileTouched[], written: boolean): string[] =>
  files
    .filter((file) => file.written === written)
    .map(({ path }) => path)
    .slice(0, 40);

const errors = (range: RowRange): string[] =>
  range.view.history
    .rows("error", range)
    .slice(-8)
    .map((row) => range.view.rows[row]?.entry)
    .filter((entry) => entry?.type === "result")
    .map(({ tool, id, content }) => `${tool} (#${id}): ${clipLine(textOf(content), 240)}`);

function commands(range: RowRange): string[] {
  const newest = commandsIn(range).take(12).toArray();
  return newest.reverse().map(({ call, result }) => {
    const last = result ? lastLine(textOf(result.content)) : "no result";
    const outcome = `${result?.isError ? "failed: " : ""}${clipLine(last, 160)}`;
    return `\`${clipLine(String(call.input["command"]), 120)}\`: ${outcome}`;
  });
}

/** The last line with a letter or digit. */
const lastLine = (text: string): string =>
  text.split("\n").findLast((line) => /[\p{L}\p{N}]/u.test(line)) ?? "(no output)";

/** The decisions of an earlier summary; its files are in the rows anyway. */
function earlierPart(earlier: string, maxChars: number): string {
  const decided = linesAbout(earlier, "decisions");
  const text = earlier.length <= maxChars || decided.length === 0 ? earlier : decided.join("\n");
  return `From the earlier summary:\n${clip(text, maxChars - 30)}`;
}

const section = (title: string, lines: readonly string[]): string => {
  const shown = lines.filter((line) => line !== "");
  return shown.length === 0 ? "" : `## ${title}\n${shown.map((line) => `- ${line}`).join("\n")}`;
};
