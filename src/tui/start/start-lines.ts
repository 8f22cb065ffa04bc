/** What an empty session shows: where you are, what was done here last, what to try. Pure. */

import { ago, counted } from "../../protocol/in-words.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import { shortTokens } from "../transcript/format.ts";
import type { GitState, LatestSession } from "../types.ts";
import { fit, spread } from "../wrap.ts";

export type StartInput = {
  version: string;
  model: string;
  windowTokens: number;
  /** As it is shown: "~/code/parser". */
  folder: string;
  git: GitState | null;
  instructions: readonly string[];
  /** Commands and skills that are defined in files. */
  commands: number;
  /** MCP servers. */
  servers: number;
  latest: LatestSession | null;
  /** Keys as they are configured, with what they do. */
  keys: readonly string[];
  nowMs: number;
};

const tries = ["what is this project?", "how do I run the tests?", "run the tests"];

/** Columns of a heading. */
const headingColumns = 14;

export function layoutStart(input: StartInput, columns: number, theme: Theme): string[] {
  const { version, model, windowTokens, folder, git, latest, keys } = input;
  const name = `${theme.paint("strong", "mini-claude")} ${theme.paint("dim", version)}`;
  const answering = `${sanitizeLine(model)} · ${shortTokens(windowTokens)} tokens`;
  const where = [sanitizeLine(folder), ...(git ? [showGit(git)] : [])].join("   ");
  const applies = [
    ...input.instructions.map(sanitizeLine),
    ...(input.commands === 0 ? [] : [counted(input.commands, "command")]),
    ...(input.servers === 0 ? [] : [counted(input.servers, "MCP server")]),
  ].join(" · ");
  const row = (heading: string, text: string): string =>
    fit(theme.paint("accent", heading.padEnd(headingColumns)) + text, columns);
  return [
    ...pair(name, theme.paint("dim", answering), columns),
    ...pair(where, theme.paint("dim", applies), columns),
    "",
    ...(latest
      ? [row("Last here", lastHere(latest, input.nowMs, columns - headingColumns, theme))]
      : []),
    row("Try", fitting(tries, "  ·  ", columns - headingColumns)),
    row("Keys", fitting(keys, "    ", columns - headingColumns)),
  ];
}

/** As many of the parts as fit. */
function fitting(parts: readonly string[], separator: string, columns: number): string {
  for (let count = parts.length; count > 1; count--) {
    const line = parts.slice(0, count).join(separator);
    if (Bun.stringWidth(line) <= columns) return line;
  }
  return parts[0] ?? "";
}

/** Both on one line, or the right part on a line of its own. */
function pair(left: string, right: string, columns: number): string[] {
  if (right === "") return [fit(left, columns)];
  const isRoomy = Bun.stringWidth(left) + Bun.stringWidth(right) + 2 <= columns;
  return isRoomy ? [spread(left, right, columns)] : [fit(left, columns), fit(right, columns)];
}

/** "main, 3 files changed" */
export function showGit({ branch, changedFiles }: GitState): string {
  const name = sanitizeLine(branch);
  if (changedFiles === null) return name;
  return changedFiles === 0
    ? `${name}, no changes`
    : `${name}, ${counted(changedFiles, "file")} changed`;
}

/** Columns that a title keeps before its size is left out. */
const leastTitle = 16;

function lastHere(
  { title, turns, messages, at }: LatestSession,
  nowMs: number,
  columns: number,
  theme: Theme,
): string {
  const size = ` · ${turns === null ? counted(messages, "entry") : counted(turns, "turn")}`;
  const age = ` · ${ago(nowMs - (Date.parse(at) || nowMs))}`;
  const hint = "/resume opens it";
  const rest = columns - size.length - age.length < leastTitle ? age : size + age;
  const name = sanitizeLine(title) || "(no title)";
  const line = fit(name, Math.max(leastTitle, columns - rest.length)) + rest;
  return Bun.stringWidth(line) + hint.length + 3 <= columns
    ? spread(line, theme.paint("dim", hint), columns)
    : line;
}
