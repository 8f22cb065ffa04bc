/** `mini-claude import`: imports sessions of other agents. */

import { statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { promptFrom } from "../../agent/opening/opening.ts";
import { projectName } from "../../config/paths.ts";
import { loadSettings, type Settings } from "../../config/settings.ts";
import { parseOptions, type SubcommandIo } from "../../config/subcommands.ts";
import { UsageError } from "../../config/usage-error.ts";
import { LogImporter } from "../../log/new-session.ts";
import { removeSession } from "../../log/remove.ts";
import { errorCode } from "../../base/guards.ts";
import { messageOf } from "../../base/in-words.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import { jsonToTerminal } from "../../base/to-terminal.ts";
import { ImportIndex, type EarlierImport } from "./import-index.ts";
import { cleanLine } from "./json.ts";
import { folderOf, readSession, writeSession, type ReadSession, type Setup } from "./session.ts";
import { findSourceFiles, formatKinds } from "./source.ts";

export const help = `Usage: mini-claude import FILE|DIR... [--json]
Imports sessions of other agents, to view or resume here. Their files are never changed.

  Claude Code   ~/.claude/projects
  pi            ~/.pi/agent/sessions
  Codex         ~/.codex

Folders are searched for .jsonl and .jsonl.zst files; the agent is detected from the content. A session is filed under the folder it was held in: start mini-claude
--resume ID there. Nothing is imported twice: a session that has grown replaces its earlier import,
unless you have continued that here. Subagents' conversations are skipped in folders; name their
file to import one.

  --json        print one JSON object per file
  -h, --help

Exit codes: 0 all sessions imported, 1 none found or some could not be read or written, 2 usage error.
`;

/**
 * Returns the exit code. A session's first entry fixes its tools, even when another agent began it:
 * `offeredTools` says which. Throws when a folder of the settings does not exist.
 */
export async function run(
  args: readonly string[],
  io: SubcommandIo,
  offeredTools: (io: SubcommandIo, settings: Settings) => Promise<ToolDefinition[]>,
): Promise<number> {
  const { settings, problems } = loadSettings({ env: io.env, file: io.paths.settings, flags: [] });
  for (const problem of problems) io.err(`${problem}\n`);
  const tools = await offeredTools(io, settings);
  return runImport(args, io, {
    system: promptFrom(
      {},
      tools.map(({ name }) => name),
    ),
    tools,
    model: settings.model,
  });
}

type ImportIo = Pick<SubcommandIo, "out" | "err" | "progress" | "cwd"> & {
  paths: { sessions: string };
};

/** Returns the exit code. Throws `UsageError`. */
export function runImport(args: readonly string[], io: ImportIo, setup: Setup): number {
  const { values, positionals } = parseOptions(args, { json: { type: "boolean" } });
  if (positionals.length === 0) throw new UsageError(`import needs files or folders:\n${help}`);
  const importFile = importerOf(io, setup);
  const results: ImportResult[] = [];
  const report = (result: ImportResult): void => {
    results.push(result);
    // Other files in a folder are counted at the end, not listed one by one.
    if (values.json) io.out(`${jsonToTerminal(JSON.stringify(result))}\n`);
    else if (result.status === "failed") io.err(`${formatResult(result)}\n`);
    else if (result.status !== "skipped") io.out(`${formatResult(result)}\n`);
  };
  for (const place of positionals) {
    const path = resolve(io.cwd, place);
    const info = statSync(path, { throwIfNoEntry: false });
    if (!info) report({ file: place, status: "failed", reason: "no such file or folder" });
    const isFolder = info?.isDirectory() === true;
    const files = isFolder ? findSourceFiles(path).sort() : info ? [path] : [];
    for (const [done, file] of files.entries()) {
      io.progress?.(done, files.length, basename(file));
      const result = importFile(file, isFolder);
      // A file that was named is expected to be imported.
      report(!isFolder && result.status === "skipped" ? { ...result, status: "failed" } : result);
    }
  }
  const here = results.some(({ status }) => ["imported", "updated", "known"].includes(status));
  if (results.length === 0) io.err("No sessions found.\n");
  else if (!values.json && (results.length > 1 || !here)) io.err(`${summarizeResults(results)}\n`);
  return here && !results.some(({ status }) => status === "failed") ? 0 : 1;
}

type Outcome = Omit<ImportResult, "file">;

const skipped = (why: string): Outcome => ({ status: "skipped", reason: `it ${why}` });

function importerOf(io: ImportIo, setup: Setup) {
  const index = new ImportIndex(io.paths.sessions);
  return importFile;

  function importFile(file: string, inFolder: boolean): ImportResult {
    try {
      const read = readSession(file);
      if (typeof read === "string") return { file, status: "skipped", reason: read };
      const { agent, id, isSubagent } = read.session;
      const outcome =
        isSubagent && inFolder ? skipped("is the conversation of a subagent") : place(read);
      return { file, agent, id, ...outcome };
    } catch (error) {
      const reason = systemReasons[errorCode(error)] ?? messageOf(error);
      return { file, status: "failed", reason };
    }
  }

  function place(read: ReadSession): Outcome {
    const { session: theirs } = read;
    if (!theirs.hasConversation) return skipped("contains no conversation");
    const earlier = index.find(theirs);
    const [latest] = earlier;
    const title = theirs.title ?? `session ${theirs.id}`;
    if (latest && latest.bytes >= theirs.bytes) {
      const { session, file: log } = latest;
      return { status: "known", session, log, title, reason: "already imported" };
    }
    const written = write(read);
    if (written.status !== "imported" || !latest) return written;
    const reasons = [written.reason, ...earlier.map(replaceEarlier)].filter(Boolean);
    return { ...written, status: "updated", reason: reasons.join("; ") };
  }

  function write(read: ReadSession): Outcome {
    const { session: theirs } = read;
    const own = folderOf(theirs);
    const cwd = own ?? io.cwd;
    const name = index.nameFor(theirs);
    const draft = new LogImporter(join(io.paths.sessions, projectName(cwd)), name);
    try {
      const { conversation, lastMs, title } = writeSession(read, { name, cwd }, draft, setup);
      if (conversation === 0) return skipped("contains no conversation");
      // Lists show it at the time it happened; a wrong clock must not keep it on top forever.
      draft.finish(Math.min(Math.max(lastMs, 0), Date.now()));
      index.put(theirs, draft.file);
      const { file: log, entries } = draft;
      const reason = own === null ? "its folder is unknown, so it is filed under this one" : "";
      const { kinds } = theirs.skipped;
      return {
        status: "imported",
        session: name,
        log,
        cwd,
        title,
        entries,
        reason,
        skipped: kinds,
      };
    } finally {
      draft.discard();
    }
  }
}

/** Removes an earlier, shorter import, unless it was continued here. */
function replaceEarlier({ session, file, isUntouched }: EarlierImport): string {
  const kept = (why: string): string => `kept the earlier import ${session}, which ${why}`;
  if (!isUntouched) return kept("was continued here");
  try {
    removeSession(file);
    return `replaces ${session}`;
  } catch {
    return kept("is open");
  }
}

const systemReasons: Record<string, string> = {
  ENOENT: "it does not exist",
  EACCES: "you have no permission to read it",
  EPERM: "you have no permission to read it",
  EISDIR: "it is a folder",
};

/** The outcome for one file. */
export type ImportResult = {
  file: string;
  /**
   * updated: it has grown since an earlier import. known: it has not. skipped: it is not a session
   * to import. failed: it could not be read or written.
   */
  status: "imported" | "updated" | "known" | "skipped" | "failed";
  /** Why, as a sentence without a full stop; may be empty. */
  reason: string;
  agent?: string;
  /** The session's id in the other agent. */
  id?: string;
  /** The name of the new session. */
  session?: string;
  log?: string;
  cwd?: string;
  title?: string;
  entries?: number;
  skipped?: [kind: string, count: number][];
};

/** One line for the user. Untrusted text is made printable. */
export function formatResult(result: ImportResult): string {
  const { status, file, session, entries, agent, title, cwd, reason, skipped } = result;
  if (session === undefined) return `${status}  ${cleanLine(file, 200)}: ${cleanLine(reason, 300)}`;
  const parts = [
    status,
    session,
    entries === undefined ? "" : `${entries} entries`,
    agent ?? "",
    `“${cleanLine(title ?? "", 60)}”`,
    cleanLine(cwd ?? "", 120),
  ];
  const left = formatKinds(skipped ?? [], 6);
  return [
    parts.filter(Boolean).join("  "),
    cleanLine(reason, 300),
    left === "" ? "" : `skipped: ${left}`,
  ]
    .filter(Boolean)
    .join("; ");
}

/** The totals in one line, with the reasons for skipped files. */
export function summarizeResults(results: readonly ImportResult[]): string {
  const counts = new Map<string, number>();
  for (const { status, reason } of results) {
    const key = status === "skipped" ? `skipped because ${cleanLine(reason)}` : status;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isSkipped = (what: string): number => Number(what.startsWith("skipped"));
  const sorted = [...counts].sort(([a], [b]) => isSkipped(a) - isSkipped(b));
  return sorted.map(([what, count]) => `${count} ${what}`).join(", ");
}
