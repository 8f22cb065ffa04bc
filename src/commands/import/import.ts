/** `mini-claude import`: imports sessions of other agents. */

import { statSync } from "node:fs";
import { basename, isAbsolute, join, normalize, resolve } from "node:path";
import { promptFrom } from "../../agent/opening/opening.ts";
import { projectName } from "../../config/paths.ts";
import { type Settings, loadSettings } from "../../config/settings.ts";
import { type SubcommandIo, parseOptions } from "../../config/subcommands.ts";
import { UsageError } from "../../config/usage-error.ts";
import { writeSession } from "../../log/new-session.ts";
import { attempt } from "../../base/guards.ts";
import { logVersion } from "../../log/parse.ts";
import { takeStart } from "../../base/clip.ts";
import { errorMessage } from "../../base/format.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import { jsonToTerminal, terminalLine } from "../../base/escape-terminal.ts";
import { isClaudeCode, readClaudeCode } from "./claude-code.ts";
import { isCodex, readCodex } from "./codex.ts";
import { findSourceFiles, SourceFile } from "./source.ts";
import { Transcript } from "./transcript.ts";

export const help = `Usage: mini-claude import FILE|DIR... [--json]
Imports sessions of other agents, to view or resume here. Their files are never changed.

  Claude Code   ~/.claude/projects
  Codex         ~/.codex

Folders are searched for .jsonl and .jsonl.zst files; the agent is detected from the content. A
session is filed under the folder it was held in: start mini-claude --resume ID there. Nothing is
imported twice; a session that has grown is imported again, beside the earlier import. Subagents'
conversations are skipped in folders; name their file to import one.

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

/** Facts that an imported session needs to be resumed here. */
type Setup = {
  system: string;
  tools: ToolDefinition[];
  /** The model that continues it. */
  model: string;
};

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
  const count = (status: ImportResult["status"]): number =>
    results.filter((result) => result.status === status).length;
  const here = count("imported") + count("known") > 0;
  if (results.length === 0) io.err("No sessions found.\n");
  else if (!values.json && (results.length > 1 || !here)) {
    const counted = statuses.filter((status) => count(status) > 0);
    io.err(`${counted.map((status) => `${count(status)} ${status}`).join(", ")}\n`);
  }
  return here && count("failed") === 0 ? 0 : 1;
}

function importFile(path: string, inFolder: boolean, io: ImportIo, setup: Setup): ImportResult {
  try {
    const file = new SourceFile(path);
    const session = readSession(file);
    if (typeof session === "string") return { file: path, status: "skipped", reason: session };
    const { agent, id, isSubagent } = session;
    const outcome =
      isSubagent && inFolder
        ? { status: "skipped" as const, reason: "it is the conversation of a subagent" }
        : place(session, file, io, setup);
    return { file: path, agent, id, ...outcome };
  } catch (error) {
    return { file: path, status: "failed", reason: errorMessage(error) };
  }
}

/** Lines to examine: a file may begin with damaged or unspecific lines. */
const maxLines = 2_000;

/**
 * The session in a file, of whichever agent wrote it: judged by its content, not by its name. A
 * sentence says why there is none.
 */
function readSession(file: SourceFile): Transcript | string {
  for (const json of file.lines().take(maxLines)) {
    const isTheirs = isCodex(json);
    if (!isTheirs && !isClaudeCode(json)) continue;
    const session = new Transcript(isTheirs ? "Codex" : "Claude Code", file);
    if (isTheirs) readCodex(file, session);
    else readClaudeCode(file, session);
    return session.hasConversation ? session : "it contains no conversation";
  }
  return "it contains no session of Claude Code or Codex";
}

/** Writes a session unless all of it is here already. */
function place(theirs: Transcript, file: SourceFile, io: ImportIo, setup: Setup) {
  const startedMs = theirs.startedMs ?? file.changedMs;
  const session = nameSession(theirs, startedMs);
  const logs = new Bun.Glob(`*/${session}.jsonl`);
  const [known] = attempt(() => [...logs.scanSync({ cwd: io.paths.sessions, absolute: true })], []);
  const status = known === undefined ? ("imported" as const) : ("known" as const);
  const own = readFolder(theirs.cwd);
  const cwd = own ?? io.cwd;
  const log = known ?? join(io.paths.sessions, projectName(cwd), `${session}.jsonl`);
  const given = terminalLine(theirs.title ?? "", 120);
  const title = given || terminalLine(theirs.firstWords, 120);
  if (known) return { status, session, log, title, reason: "already imported" };
  const { agent, id, bytes, skipped } = theirs;
  const opening: Entry = {
    id: "e1",
    parent: null,
    at: new Date(startedMs).toISOString(),
    type: "session",
    version: logVersion,
    session,
    cwd,
    model: agent,
    system: setup.system,
    tools: setup.tools,
    imported: { agent, id: takeStart(id, 1_000), file: file.path.toWellFormed(), bytes },
  };
  close(theirs, given, file.path, setup.model);
  const entries = [opening, ...theirs.entries];
  // Lists show it at the time it happened; a wrong clock must not keep it on top forever.
  writeSession(log, entries, Math.min(Math.max(theirs.lastMs, 0), Date.now()));
  const reason = own === null ? "its folder is unknown, so it is filed under this one" : "";
  return { status, session, log, cwd, title, entries: entries.length, reason, skipped };
}

/**
 * Adds what the user and the next model need to know. It ends with a change of model, so that none of
 * the thinking, which is bound to what another program sent, is ever sent again.
 */
function close(session: Transcript, title: string, file: string, model: string): void {
  const { agent, skipped, lastMs } = session;
  if (title !== "") session.note("title", title, lastMs);
  const handover = `The conversation so far was held with ${agent} and has been imported. Tools that it mentions may not exist here: use only the tools you are given. Files may have changed since; read them again before relying on them.`;
  session.context("reminder", "imported", [{ type: "text", text: handover }], lastMs);
  session.add({ type: "model", model }, lastMs);
  const closing = `Imported from ${agent}, ${terminalLine(file, 200)}.`;
  const lines = skipped === 0 ? "" : ` Lines without a counterpart here: ${skipped}.`;
  session.note("info", `${closing}${lines}`, lastMs);
}

/** The folder of a session; null when it is unknown or not a path of this machine. */
function readFolder(cwd: string | null): string | null {
  if (cwd === null || cwd.length > 4_096 || !isAbsolute(cwd) || cwd.includes("\0")) return null;
  const path = normalize(cwd);
  return path.length > 1 ? path.replace(/\/$/, "") : path;
}

/**
 * The time the session began and a hash of its id and size, so the same session has the same name
 * and one that has grown another. The id is not trusted, so it is never part of a path.
 */
function nameSession({ agent, id, bytes }: Transcript, startedMs: number): string {
  const began = new Date(startedMs).toISOString().slice(0, 19);
  const time = began.replace(/[-:+]/g, "").replace("T", "-");
  const text = `${agent}\n${id}\n${bytes}`;
  return `${time}-${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 6)}`;
}

/** known: all of it was imported before. skipped: it is not a session to import. */
const statuses = ["imported", "known", "skipped", "failed"] as const;

/** The outcome for one file. */
export type ImportResult = {
  file: string;
  status: (typeof statuses)[number];
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
  /** Lines without a counterpart here. */
  skipped?: number;
};

/** One line for the user. Untrusted text is made printable. */
export function formatResult(result: ImportResult): string {
  const { status, file, session, entries, agent, title, cwd, reason } = result;
  if (session === undefined)
    return `${status}  ${terminalLine(file, 200)}: ${terminalLine(reason, 300)}`;
  const parts = [
    status,
    session,
    entries === undefined ? "" : `${entries} entries`,
    agent ?? "",
    `“${terminalLine(title ?? "", 60)}”`,
    terminalLine(cwd ?? "", 120),
    terminalLine(reason, 300),
  ];
  return parts.filter(Boolean).join("  ");
}
