import { textOf } from "../../protocol/block.ts";
import type { Row } from "../types.ts";
import { callsIn, filesIn, lastWords, todoIn } from "./work.ts";
import { instructionsIn, userWords } from "./words.ts";

/**
 * A summary that needs no model: what the rows themselves say of the user's wishes, the files, the
 * commands and their outcome, the errors, and where things stand.
 */
export function extractSummary(rows: readonly Row[]): string {
  const words = userWords(rows);
  const calls = callsIn(rows);
  const files = filesIn(rows);
  const commands = calls.filter(({ call }) => call.name === "bash");
  const errors = calls.filter(({ result }) => result?.isError);
  const open = todoIn(rows).filter(({ status }) => status !== "done" && status !== "cancelled");
  const earlier = rows.find(({ shown, weight }) => shown === "covered" && weight.summary > 0);
  return [
    section("Intent", words[0] ? [clip(words[0].text, 600)] : []),
    section(
      "Instructions",
      instructionsIn(words)
        .map(({ text }) => text)
        .slice(-40),
    ),
    section(
      "Files changed",
      files
        .filter(({ written }) => written)
        .map(({ path }) => path)
        .slice(0, 40),
    ),
    section(
      "Files read",
      files
        .filter(({ written }) => !written)
        .map(({ path }) => path)
        .slice(0, 40),
    ),
    section(
      "Commands and their outcome",
      commands.slice(-15).map(({ call, result }) => {
        const last = result
          ? (textOf(result.content).trim().split("\n").at(-1) ?? "")
          : "no result";
        return `\`${clip(String(call.input["command"] ?? ""), 120)}\`: ${result?.isError ? "failed: " : ""}${clip(last, 160)}`;
      }),
    ),
    section(
      "Errors",
      errors
        .slice(-8)
        .map(
          ({ call, result }) => `${call.name}: ${clip(result ? textOf(result.content) : "", 200)}`,
        ),
    ),
    section(
      "Open",
      open.map(({ text }) => text),
    ),
    section(
      "Where things stand",
      [clip(lastWords(rows), 1_500)].filter((text) => text !== ""),
    ),
    section(
      "Next step",
      [clip(words.at(-1)?.text ?? "", 400)].filter((text) => text !== ""),
    ),
    earlier ? "An earlier summary is part of what this one covers; the log holds it." : "",
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `## ${title}\n${lines.map((line) => `- ${line}`).join("\n")}`;

const clip = (text: string, most: number): string => {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > most ? `${flat.slice(0, most - 1)}…` : flat;
};
