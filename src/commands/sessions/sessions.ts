/** `mini-claude sessions`: lists, shows, exports and prunes. */

import type { Paths } from "../../config/paths.ts";
import { parseOptions, type SubcommandIo } from "../../config/subcommands.ts";
import { orUsageError, UsageError } from "../../config/usage-error.ts";
import {
  findSession,
  isOfUser,
  listAllSessions,
  listSessions,
  type SessionInfo,
} from "../../log/catalog.ts";
import { type Export, exportFormats, writePieces } from "../../log/export/export-session.ts";
import { prune } from "../../log/remove.ts";
import { openLog } from "../../log/store.ts";
import { takeStart } from "../../base/clip.ts";
import type { Entry } from "../../protocol/entry.ts";
import { counted } from "../../base/in-words.ts";
import { toTerminal } from "../../base/to-terminal.ts";

export const help = `mini-claude sessions list [--all]                 list the sessions of this folder, or of all folders
mini-claude sessions show ID                      print a session as text
mini-claude sessions export ID [--format FORMAT]  print a session as markdown (default), jsonl or html
mini-claude sessions prune --days N [--all]       remove sessions unchanged for N days
`;

/** Returns the exit code. Throws `UsageError` or `LogError`. */
export async function run(
  args: readonly string[],
  { paths, out, progress }: SubcommandIo,
): Promise<number> {
  const { values, positionals } = parseOptions(args, {
    all: { type: "boolean" },
    format: { type: "string" },
    days: { type: "string" },
  });
  const [verb, name] = positionals;
  const sessions = await (values.all
    ? listAllSessions(paths.sessions)
    : listSessions(paths.projectSessions));
  switch (verb) {
    case "list":
      out(toTerminal(linesOf(sessions.filter(isOfUser))) || "No sessions yet.\n");
      return 0;
    case "show":
    case "export": {
      const format = await exporter(verb === "export" ? values.format : "markdown");
      const path = entriesOf(sessions, verb, name);
      let text = "";
      const add = (piece: string): void => void (text += piece);
      await writePieces(format(path), path.length, add, progress);
      out(text);
      return 0;
    }
    case "prune":
      out(await pruneOlderThan(Number(values.days), sessions, paths));
      return 0;
    default:
      throw new UsageError(`sessions needs list, show, export or prune:\n${help}`);
  }
}

const linesOf = (sessions: readonly SessionInfo[]): string =>
  sessions.map((one) => `${describe(one)}\n`).join("");

function describe({ session, title, changedMs, entries, busy }: SessionInfo): string {
  const changed = new Date(changedMs).toISOString().slice(0, 16).replace("T", " ");
  const shownTitle = takeStart(title.replace(/\p{Cc}+/gu, " "), 80);
  const count = String(entries).padStart(6);
  return `${session}  ${changed}  ${count} entries  ${busy ? "(open) " : ""}${shownTitle}`;
}

function entriesOf(
  sessions: readonly SessionInfo[],
  verb: string,
  name: string | undefined,
): readonly Entry[] {
  if (name === undefined) throw new UsageError(`sessions ${verb} needs the name of a session.`);
  return openLog(orUsageError(() => findSession(sessions, name)).file, { readOnly: true }).path;
}

async function exporter(name = "markdown"): Promise<Export> {
  if (name === "html") {
    const { sessionPage } = await import("../session-page/page.ts");
    return sessionPage;
  }
  const format = Object.entries(exportFormats).find(([known]) => known === name)?.[1];
  if (format) return format;
  throw new UsageError(
    `--format must be one of ${[...Object.keys(exportFormats), "html"].join(", ")}, not ${name}.`,
  );
}

const dayMs = 86_400_000;

async function pruneOlderThan(
  days: number,
  sessions: readonly SessionInfo[],
  paths: Paths,
): Promise<string> {
  if (!(days >= 1)) throw new UsageError("sessions prune needs --days N, at least 1.");
  const pruned = await prune(sessions, Date.now() - days * dayMs, paths);
  return `Removed ${counted(pruned.sessions, "session")}, ${counted(pruned.results, "result")} and ${counted(pruned.checkpointBytes, "byte")} of unreferenced checkpoints.\n`;
}
