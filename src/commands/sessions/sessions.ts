/** `mini-claude sessions`: lists, searches, shows, stops, exports and prunes. */

import type { Paths } from "../../config/paths.ts";
import { existsSync } from "node:fs";
import { type SubcommandIo, parseOptions } from "../../config/subcommands.ts";
import { UsageError, orUsageError } from "../../config/usage-error.ts";
import {
  type SessionInfo,
  countTurns,
  findSession,
  isOfUser,
  listAllSessions,
  listSessions,
} from "../../log/catalog.ts";
import { type Export, exportFormats } from "../../log/export-session.ts";
import { prune } from "../../log/prune.ts";
import { readEntries, searchEntries } from "../../log/search.ts";
import { openLog } from "../../log/store.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { Progress } from "../../base/long-work.ts";
import { ago, counted } from "../../base/format.ts";
import { terminalLine, toTerminal } from "../../base/escape-terminal.ts";
import { setTimeout } from "node:timers/promises";
import { findHolder } from "../../log/lock.ts";
import { findSubject } from "../../protocol/block.ts";
import { fit } from "../../base/fit.ts";

export const help = `mini-claude sessions list [--all]                 list the sessions of this folder, or of all folders
mini-claude sessions search WORDS [--all]         find words in them, with a line of preview
mini-claude sessions show ID                      print a session as text
mini-claude sessions export ID [--format FORMAT]  print a session as markdown (default), jsonl or html
mini-claude sessions prune --days N [--all]       remove sessions unchanged for N days

What runs now, in all folders:
mini-claude sessions running                      list the sessions that are open in another terminal or program
mini-claude sessions stop ID                      end the program that has it open; its work so far is kept
`;

const maxHits = 20;

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
  const [verb = "", ...words] = positionals;
  const isEverywhere = values.all === true || ["running", "stop"].includes(verb);
  const sessions = await (isEverywhere
    ? listAllSessions(paths.sessions)
    : listSessions(paths.projectSessions));
  const named = (): SessionInfo => {
    const [name, more] = words;
    if (name === undefined) throw new UsageError(`sessions ${verb} needs the name of a session.`);
    if (more !== undefined)
      throw new UsageError(`sessions ${verb} takes one session, and nothing after it: ${more}`);
    return orUsageError(() => findSession(sessions, name));
  };
  const rows = (text: string): void => out(fitRows(toTerminal(text)));
  switch (verb) {
    case "list":
      rows((await listOf(sessions.filter(isOfUser), values.all === true)) || "No sessions yet.\n");
      return 0;
    case "search": {
      const query = words.join(" ");
      if (query.trim() === "") throw new UsageError("sessions search needs words to search for.");
      const resultsFolder = paths.toolResults;
      const io = { sessions, resultsFolder, progress, limit: maxHits };
      rows(await searchSessions(query, io));
      return 0;
    }
    case "show":
    case "export": {
      const format = await exporter(verb === "export" ? values.format : "markdown");
      out(format(readPath(named().file)));
      return 0;
    }
    case "running":
      rows(listRunning(sessions, Date.now()));
      return 0;
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

/** Columns of the terminal; a file or a pipe has no edge. */
const terminalColumns = (): number =>
  process.stdout.isTTY ? process.stdout.columns || 80 : Infinity;

function fitRows(text: string): string {
  const columns = terminalColumns();
  return text.replace(/.+/g, (row) => fit(row, columns));
}

/** One line a session, `withFolder` its folder after the title. */
async function listOf(sessions: readonly SessionInfo[], withFolder: boolean): Promise<string> {
  let text = "";
  for (const info of sessions) {
    const turns = await countTurns(info).catch(() => null);
    const where = withFolder && existsSync(info.cwd) ? `  ${terminalLine(info.cwd, 200)}` : "";
    text += `${describeSessionLine(info, turns)}${where}\n`;
  }
  return text;
}

type SearchIo = {
  sessions: readonly SessionInfo[];
  resultsFolder: string;
  progress: Progress | undefined;
  /** Limit on shown hits. */
  limit: number;
};

/** Short label for the speaker of a hit. */
const speakers: Partial<Record<Entry["type"], string>> = {
  user: "you",
  assistant: "model",
  result: "result",
  step: "result",
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
    for (const { source, snippet } of found)
      text += `  ${(speakers[source.type] ?? source.type).padEnd(7)} ${snippet}\n`;
  }
  return text || `No session mentions ${query}.\n`;

  async function* allEntries(): AsyncGenerator<Entry, void> {
    for (const [done, session] of sessions.entries()) {
      progress?.(done, sessions.length, session.session);
      try {
        for await (const entry of readEntries(session.file)) {
          origins.set(entry, session);
          yield entry;
        }
      } catch {
        // Removed by now, or unreadable.
      }
    }
  }
}

async function exporter(name = "markdown"): Promise<Export> {
  const { sessionPage } = await import("../session-page/page.ts");
  const formats = { ...exportFormats, html: sessionPage };
  const format = Object.entries(formats).find(([known]) => known === name)?.[1];
  if (format) return format;
  throw new UsageError(`--format must be one of ${Object.keys(formats).join(", ")}, not ${name}.`);
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

/** One line for each open session. */
const listRunning = (sessions: readonly SessionInfo[], nowMs: number): string =>
  sessions
    .filter(({ busy }) => busy)
    .map(({ session, file, cwd, title, changedMs, startedBy }) => {
      const holder = findHolder(file);
      const process = holder === null ? "ended" : `process ${holder}`;
      const activity = `${describeActivity(file)}, ${ago(nowMs - changedMs)}`;
      const of = startedBy === null ? [] : [`subagent of ${startedBy}`];
      return `${[session, process, activity, cwd, ...of, terminalLine(title, 60)].join("  ")}\n`;
    })
    .join("") || "Nothing is running.\n";

const readPath = (file: string): readonly Entry[] => openLog(file, { readOnly: true }).path;

/** The session's activity by its latest message or result. */
function describeActivity(file: string): string {
  const last = readPath(file).findLast(({ type }) =>
    ["user", "assistant", "result"].includes(type),
  );
  if (last?.type !== "assistant") return last ? "the model is working" : "not started";
  const call = last.content.findLast((block) => block.type === "tool_use");
  if (call?.type !== "tool_use") return "waiting for you";
  return `in ${terminalLine(`${call.name} ${findSubject(call.input)?.text ?? ""}`, 60)}`;
}

const pollMs = 25;

/** Polls after which a process that was asked to end is reported as still running. */
const maxPolls = 400;

/**
 * Asks the process that has a session open to end, as closing its terminal does: what it did so far
 * is kept. Returns a sentence. Throws `UsageError` when there is no such process.
 */
async function stopSession({ session, file, startedBy }: SessionInfo): Promise<string> {
  const holder = findHolder(file);
  if (holder === null) throw new UsageError(`The session ${session} is not running.`);
  if (startedBy !== null)
    throw new UsageError(`The session ${session} is a subagent of ${startedBy}; stop that one.`);
  process.kill(holder, "SIGTERM");
  for (let poll = 0; poll < maxPolls; poll++) {
    if (findHolder(file) === null) return `Stopped ${session}.\n`;
    await setTimeout(pollMs);
  }
  return `Asked process ${holder} to stop ${session}; the session is still open.\n`;
}

const narrowColumns = 100;

/** Name, last change, turns, context and title; with few columns, name, age and title. */
function describeSessionLine(info: SessionInfo, turns: number | null = null): string {
  const { session, title, changedMs, usedTokens, busy, cwd } = info;
  const gone = existsSync(cwd) ? "" : `(${cwd} is gone) `;
  const tokens = usedTokens === null ? "" : counted(usedTokens, "token");
  const size =
    turns === null ? "" : ` ${counted(turns, "turn").padStart(10)}${tokens.padStart(18)}`;
  const facts =
    terminalColumns() < narrowColumns
      ? ago(Date.now() - changedMs).padStart(14)
      : `${localTime(changedMs)}${size}`;
  return `${session}  ${facts}  ${busy ? "(open) " : ""}${gone}${terminalLine(title, 80)}`;
}

/** "2026-11-20 14:05", in the user's time zone. */
const localTime = (ms: number): string => new Date(ms).toLocaleString("sv").slice(0, 16);
