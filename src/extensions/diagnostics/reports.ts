/** Errors that a language server has published, and which of them are new. */

import { fileURLToPath } from "node:url";
import { z } from "zod";
import { attempt } from "../../base/guards.ts";
import { holds } from "../../tools/workspace.ts";
import { relative } from "node:path";
import { clip, clipLine } from "../../base/clip.ts";
import { counted } from "../../base/format.ts";
import { toTerminal } from "../../base/escape-terminal.ts";

const publishedSchema = z.object({
  uri: z.string().max(8_192),
  version: z.number().nullish(),
  diagnostics: z.array(z.unknown()),
});

/** A report on a file of the folder; null for any other. */
export function parseReport(params: unknown, root: string) {
  const { data } = publishedSchema.safeParse(params);
  const path = data && attempt(() => fileURLToPath(data.uri), null);
  if (!path || !holds(root, path)) return null;
  return { path, version: data.version ?? null, problems: parseProblems(data.diagnostics) };
}

/** An error in a file. Line and column count from 1; the column in UTF-16 units. */
export type Problem = { line: number; column: number; message: string };

const problemSchema = z.object({
  range: z.object({ start: z.object({ line: z.int().min(0), character: z.int().min(0) }) }),
  severity: z.number().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  message: z.string(),
});

const errorSeverity = 1;

/** Problems of one file that are kept. */
const maxProblems = 200;

const messageChars = 400;

/** The errors of a report; what violates the protocol is left out. */
function parseProblems(diagnostics: readonly unknown[]): Problem[] {
  return diagnostics.slice(0, maxProblems).flatMap((raw) => {
    const { data } = problemSchema.safeParse(raw);
    if (!data || (data.severity ?? errorSeverity) !== errorSeverity) return [];
    const { line, character } = data.range.start;
    const code = data.code === undefined || data.code === null ? "" : ` [${data.code}]`;
    const text = clipLine(toTerminal(data.message.slice(0, 4 * messageChars)), messageChars);
    const message = `${text}${clip(toTerminal(code), 80)}`;
    return [{ line: line + 1, column: character + 1, message }];
  });
}

/** Problems that are not known; lines move, so a message counts as often as it occurs. */
export function newOnes(known: readonly Problem[], problems: readonly Problem[]): Problem[] {
  const left = known.map(({ message }) => message);
  return problems.filter(({ message }) => {
    const at = left.indexOf(message);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Lines of one report, and characters of all of it. */
const maxLines = 20;
const reportChars = 4_000;

/** For the model. `found`: new problems by path; `cwd`: paths are shown from here. */
export function describe(
  server: string,
  found: ReadonlyMap<string, readonly Problem[]>,
  cwd: string,
): string {
  const lines = [...found].flatMap(([path, problems]) =>
    problems.map(
      ({ line, column, message }) => `${relative(cwd, path)}:${line}:${column} ${message}`,
    ),
  );
  const rest = lines.length - maxLines;
  const shown = lines.slice(0, maxLines);
  if (rest > 0) shown.push(`and ${counted(rest, "more error")}`);
  return clip(`New errors, reported by ${server}:\n${shown.join("\n")}`, reportChars);
}
