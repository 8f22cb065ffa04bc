/** `mini-claude sessions ...`: what is kept, shown, exported, removed. */

import { parseArgs } from "node:util";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../config/flags.ts";
import type { Paths } from "../config/paths.ts";
import { listAllSessions, listSessions, type SessionInfo } from "../log/catalog.ts";
import { Checkpoints } from "../log/checkpoints.ts";
import { exportHtml } from "../log/export/html.ts";
import { exportMarkdown } from "../log/export/markdown.ts";
import { exportJsonl } from "../log/export/messages.ts";
import { referencesIn, removeSession } from "../log/remove.ts";
import { openLog } from "../log/store.ts";
import type { Entry } from "../protocol/entry.ts";

const formats = { markdown: exportMarkdown, html: exportHtml, jsonl: exportJsonl } as const;

export const sessionsHelp = `mini-claude sessions list [--all]                          sessions of this folder, or of all
mini-claude sessions show ID                               one of them as text
mini-claude sessions export ID [--format markdown|html|jsonl]
mini-claude sessions prune --days N [--all]                remove those that nobody touched for N days
`;

/** Throws `UsageError` or `LogError`; gives the exit code. */
export async function runSessions(
  args: readonly string[],
  paths: Paths,
  out: (text: string) => void,
): Promise<number> {
  const { values, positionals } = parse(args);
  if (values.help) {
    out(sessionsHelp);
    return 0;
  }
  const [verb, id] = positionals;
  const sessions = await (values.all
    ? listAllSessions(paths.sessions)
    : listSessions(paths.projectSessions));
  switch (verb) {
    case "list":
      out(
        sessions.length === 0
          ? "There is no session yet.\n"
          : sessions.map((one) => `${lineOf(one)}\n`).join(""),
      );
      return 0;
    case "show":
      out(exportMarkdown(pathOf(sessions, id)));
      return 0;
    case "export": {
      const name = values.format ?? "markdown";
      const format = Object.entries(formats).find(([known]) => known === name)?.[1];
      if (!format)
        throw new UsageError(
          `--format ${name}: must be one of ${Object.keys(formats).join(", ")}.`,
        );
      out(format(pathOf(sessions, id)));
      return 0;
    }
    case "prune":
      out(await prune(sessions, Number(values.days), paths));
      return 0;
    default:
      throw new UsageError(
        `mini-claude sessions takes list, show, export or prune:\n${sessionsHelp}`,
      );
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        all: { type: "boolean" },
        format: { type: "string" },
        days: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error),
    );
  }
}

const lineOf = ({ session, title, changedMs, entries, busy }: SessionInfo): string =>
  `${session}  ${new Date(changedMs).toISOString().slice(0, 16).replace("T", " ")}  ${String(entries).padStart(6)} entries  ${busy ? "(open) " : ""}${title.replace(/\p{Cc}+/gu, " ").slice(0, 80)}`;

function pathOf(sessions: readonly SessionInfo[], id: string | undefined): readonly Entry[] {
  const found = sessions.filter(({ session }) => id !== undefined && session.startsWith(id));
  const [only] = found;
  if (!only || found.length > 1) {
    const many =
      found.length > 1
        ? `“${id}” is the beginning of ${found.length} sessions`
        : `There is no session “${id ?? ""}” of this folder`;
    throw new UsageError(`${many}; mini-claude sessions list shows them.`);
  }
  return openLog(only.file, { readOnly: true }).path;
}

/** Old sessions go, and with them the results and checkpoints that no other session names. */
async function prune(
  sessions: readonly SessionInfo[],
  days: number,
  paths: Paths,
): Promise<string> {
  if (!(days >= 1)) throw new UsageError("sessions prune needs --days N, with N of 1 or more.");
  const olderThanMs = days * 86_400_000;
  const now = Date.now();
  const old = sessions.filter(({ changedMs, busy }) => !busy && now - changedMs > olderThanMs);
  for (const { file } of old) removeSession(file);
  const { files, hashes } = referencesIn(paths.sessions);
  let results = 0;
  const kept = existsSync(paths.toolResults)
    ? readdirSync(paths.toolResults, { withFileTypes: true })
    : [];
  for (const name of kept) {
    const file = join(paths.toolResults, name.name);
    if (!name.isFile() || files.has(file) || now - Bun.file(file).lastModified <= olderThanMs)
      continue;
    rmSync(file, { force: true });
    results++;
  }
  const freed = await new Checkpoints(paths.checkpoints).prune(hashes, olderThanMs);
  return `Removed ${old.length} sessions, ${results} results, and ${freed} bytes of checkpoints that nothing names any more.\n`;
}
