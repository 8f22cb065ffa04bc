/** `mini-claude sessions`: lists, searches, shows, watches, stops, exports and prunes. */

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
import { readEntries, searchEntries } from "../../log/search.ts";
import { openLog } from "../../log/store.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { Progress } from "../../base/long-work.ts";
import { counted } from "../../base/in-words.ts";
import { toTerminal } from "../../base/to-terminal.ts";
import { describeSessionLine } from "./describe.ts";
import { listRunning, stopSession, tailSession } from "./running.ts";

export const help = `mini-claude sessions list [--all]                 list the sessions of this folder, or of all folders
mini-claude sessions search WORDS [--all]         find words in them, with a line of preview
mini-claude sessions show ID                      print a session as text
mini-claude sessions export ID [--format FORMAT]  print a session as markdown (default), jsonl or html
mini-claude sessions prune --days N [--all]       remove sessions unchanged for N days

What runs now, in all folders:
mini-claude sessions running                      list the sessions that are open in another terminal or program
mini-claude sessions tail ID [--lines N] [-f]     print the latest lines of one; -f follows it
mini-claude sessions stop ID                      end the program that has it open; its work so far is kept
`;

const maxHits = 20;
const defaultTailLines = 20;

/** Returns the exit code. Throws `UsageError` or `LogError`. */
export async function run(
  args: readonly string[],
  { paths, out, progress }: SubcommandIo,
): Promise<number> {
  const { values, positionals } = parseOptions(args, {
    all: { type: "boolean" },
    format: { type: "string" },
    days: { type: "string" },
    lines: { type: "string" },
    follow: { type: "boolean", short: "f", default: false },
  });
  const [verb = "", ...words] = positionals;
  const isEverywhere = values.all === true || ["running", "tail", "stop"].includes(verb);
  const sessions = await (isEverywhere
    ? listAllSessions(paths.sessions)
    : listSessions(paths.projectSessions));
  const named = (): SessionInfo => {
    const [name] = words;
    if (name === undefined) throw new UsageError(`sessions ${verb} needs the name of a session.`);
    return orUsageError(() => findSession(sessions, name));
  };
  switch (verb) {
    case "list":
      out(toTerminal(linesOf(sessions.filter(isOfUser))) || "No sessions yet.\n");
      return 0;
    case "search": {
      const query = words.join(" ");
      if (query.trim() === "") throw new UsageError("sessions search needs words to search for.");
      const resultsFolder = paths.toolResults;
      const io = { sessions, resultsFolder, progress, limit: maxHits };
      out(toTerminal(await searchSessions(query, io)));
      return 0;
    }
    case "show":
    case "export": {
      const format = await exporter(verb === "export" ? values.format : "markdown");
      const path = pathOf(named());
      let text = "";
      const add = (piece: string): void => void (text += piece);
      await writePieces(format(path), path.length, add, progress);
      out(text);
      return 0;
    }
    case "running":
      out(toTerminal(listRunning(sessions, Date.now())));
      return 0;
    case "tail": {
      const lines = Number(values.lines ?? defaultTailLines);
      if (!(lines >= 1)) throw new UsageError("--lines must be a number of at least 1.");
      await tailSession(named(), {
        lines,
        follow: values.follow,
        out: (text) => out(toTerminal(text)),
      });
      return 0;
    }
    case "stop":
      out(await stopSession(named()));
      return 0;
    case "prune":
      out(await pruneOlderThan(Number(values.days), sessions, paths));
      return 0;
    default:
      throw new UsageError(`sessions needs a command:\n${help}`);
  }
}

const linesOf = (sessions: readonly SessionInfo[]): string =>
  sessions.map((one) => `${describeSessionLine(one)}\n`).join("");

const pathOf = ({ file }: SessionInfo): readonly Entry[] => openLog(file, { readOnly: true }).path;

type SearchIo = {
  sessions: readonly SessionInfo[];
  resultsFolder: string;
  progress: Progress | undefined;
  /** Most hits that are shown. */
  limit: number;
};

/** Who says a hit, in as few letters as fit. */
const speakers: Partial<Record<Entry["type"], string>> = {
  user: "you",
  assistant: "model",
  result: "result",
  context: "context",
};

/**
 * Searches sessions for words: those with the best hit first, each with a line of preview for every
 * hit. Sessions that cannot be read are skipped.
 */
async function searchSessions(
  query: string,
  { sessions, resultsFolder, progress, limit }: SearchIo,
): Promise<string> {
  const origins = new Map<Entry, SessionInfo>();
  const hits = await searchEntries(allEntries(), query, { limit, resultsFolder });
  const bySession = Map.groupBy(hits, ({ source }) => origins.get(source));
  let text = "";
  for (const [session, found] of bySession) {
    if (!session) continue;
    text += `${describeSessionLine(session)}\n`;
    for (const { entry, source, snippet } of found)
      text += `  #${entry.padEnd(6)} ${(speakers[source.type] ?? source.type).padEnd(7)} ${snippet}\n`;
  }
  return text || `No session has ${query}.\n`;

  async function* allEntries(): AsyncGenerator<Entry, void> {
    for (const [done, session] of sessions.entries()) {
      progress?.(done, sessions.length, session.session);
      try {
        for await (const entry of readEntries(session.file)) {
          origins.set(entry, session);
          yield entry;
        }
      } catch {
        // It was removed meanwhile, or cannot be read.
      }
    }
  }
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
