/** `mini-claude import`: imports sessions of other agents. */

import { readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { promptFrom } from "../../agent/opening/opening.ts";
import { projectName } from "../../config/paths.ts";
import { type Settings, loadSettings } from "../../config/settings.ts";
import { type SubcommandIo, parseOptions } from "../../config/subcommands.ts";
import { UsageError } from "../../config/usage-error.ts";
import { LogImporter } from "../../log/new-session.ts";
import { attempt, errorCode, parseJson } from "../../base/guards.ts";
import { errorMessage } from "../../base/in-words.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import { jsonToTerminal } from "../../base/to-terminal.ts";
import { cleanLine } from "./json.ts";
import { type ReadSession, type Setup, readFolder, readSession, writeSession } from "./session.ts";
import { type Conversation, findSourceFiles, formatKinds } from "./source.ts";
import { z } from "zod";

export const help = `Usage: mini-claude import FILE|DIR... [--json]
Imports sessions of other agents, to view or resume here. Their files are never changed.

  Claude Code   ~/.claude/projects
  Codex         ~/.codex

Folders are searched for .jsonl and .jsonl.zst files; the agent is detected from the content. A
session is filed under the folder it was held in: start mini-claude --resume ID there. Nothing is
imported twice; a session that has grown is imported again, beside the earlier import. Subagents' conversations are skipped in folders; name their file to import one.

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
      const result = importFile(file, isFolder, io, setup);
      // A file that was named is expected to be imported.
      report(!isFolder && result.status === "skipped" ? { ...result, status: "failed" } : result);
    }
  }
  const here = results.some(({ status }) => status === "imported" || status === "known");
  if (results.length === 0) io.err("No sessions found.\n");
  else if (!values.json && (results.length > 1 || !here)) io.err(`${summarizeResults(results)}\n`);
  return here && !results.some(({ status }) => status === "failed") ? 0 : 1;
}

type ImportOutcome = Omit<ImportResult, "file">;

function importFile(file: string, inFolder: boolean, io: ImportIo, setup: Setup): ImportResult {
  try {
    const read = readSession(file);
    if (typeof read === "string") return { file, status: "skipped", reason: read };
    const { agent, id, isSubagent } = read.session;
    const outcome: ImportOutcome =
      isSubagent && inFolder
        ? { status: "skipped", reason: "it is the conversation of a subagent" }
        : place(read, io, setup);
    return { file, agent, id, ...outcome };
  } catch (error) {
    const reason = systemReasons[errorCode(error)] ?? errorMessage(error);
    return { file, status: "failed", reason };
  }
}

/** Writes a session unless all of it is here already. */
function place(read: ReadSession, io: ImportIo, setup: Setup): ImportOutcome {
  const { session: theirs } = read;
  const earlier = findEarlier(theirs, io.paths.sessions);
  const [latest] = earlier;
  if (latest && latest.bytes >= theirs.bytes) {
    const { session, file: log } = latest;
    const title = theirs.title ?? `session ${theirs.id}`;
    return { status: "known", session, log, title, reason: "already imported" };
  }
  const own = readFolder(theirs);
  const cwd = own ?? io.cwd;
  const name = nameSession(read, earlier);
  const draft = new LogImporter(join(io.paths.sessions, projectName(cwd)), name);
  const reasons = [
    ...(own === null ? ["its folder is unknown, so it is filed under this one"] : []),
    ...(latest ? [`it has grown since it was imported as ${latest.session}, which is kept`] : []),
  ];
  try {
    const { lastMs, title } = writeSession(read, { name, cwd }, draft, setup);
    // Lists show it at the time it happened; a wrong clock must not keep it on top forever.
    draft.finish(Math.min(Math.max(lastMs, 0), Date.now()));
    return {
      status: "imported",
      session: name,
      log: draft.file,
      cwd,
      title,
      entries: draft.entries,
      reason: reasons.join("; "),
      skipped: theirs.skipped.kinds,
    };
  } finally {
    draft.discard();
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
   * known: all of it was imported before. skipped: it is not a session to import. failed: it could
   * not be read or written.
   */
  status: "imported" | "known" | "skipped" | "failed";
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
  // The session's own note names the most frequent, --json all.
  const left = formatKinds(skipped ?? [], 2);
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
  const each = ([what, count]: [string, number]): string =>
    `${count} ${count > 1 ? what.replace("because it ", "because each ") : what}`;
  return sorted.map(each).join(", ");
}

/** An earlier import of the same session. */
type EarlierImport = {
  file: string;
  session: string;
  /** Bytes of the other agent's files that were read. */
  bytes: number;
};

const firstEntry = z.object({
  type: z.literal("session"),
  imported: z.object({ agent: z.string(), id: z.string(), bytes: z.number() }),
});

/** The earlier imports of a session, the most complete first. `root` holds a folder per project. */
function findEarlier(theirs: Conversation, root: string): EarlierImport[] {
  const names = new Bun.Glob(`*/*-${hashSession(theirs)}{,-*}.jsonl`);
  const files = attempt(() => [...names.scanSync({ cwd: root, absolute: true })], []);
  const found = files.flatMap((file) => attempt(() => readEarlier(file, theirs), null) ?? []);
  return found.sort((a, b) => b.bytes - a.bytes);
}

/** A new name, made of the time the session began and a hash of its id. */
function nameSession({ session, startedMs }: ReadSession, earlier: EarlierImport[]): string {
  const began = new Date(startedMs).toISOString().slice(0, 19);
  const time = began.replace(/[-:+]/g, "").replace("T", "-");
  const base = `${time}-${hashSession(session)}`;
  const taken = earlier.map(({ session: name }) => name);
  let name = base;
  for (let number = 2; taken.includes(name); number += 1) name = `${base}-${number}`;
  return name;
}

/** A short hash of the session's id. The id itself is not trusted, so it is never part of a path. */
const hashSession = ({ agent, id }: Conversation): string =>
  new Bun.CryptoHasher("sha256").update(`${agent}\n${id}`).digest("hex").slice(0, 6);

function readEarlier(file: string, theirs: Conversation): EarlierImport | null {
  const [first = ""] = readFileSync(file, "utf8").split("\n", 1);
  const { imported } = firstEntry.parse(parseJson(first));
  if (imported.agent !== theirs.agent || imported.id !== theirs.id) return null;
  return { file, session: basename(file, ".jsonl"), bytes: imported.bytes };
}
