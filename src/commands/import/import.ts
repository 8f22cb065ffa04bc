/** `mini-claude import`: imports sessions of other agents. */

import { statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { promptFrom } from "../../agent/opening/opening.ts";
import { projectName } from "../../config/paths.ts";
import { type Settings, loadSettings } from "../../config/settings.ts";
import { type SubcommandIo, parseOptions } from "../../config/subcommands.ts";
import { UsageError } from "../../config/usage-error.ts";
import { LogImporter } from "../../log/new-session.ts";
import { attempt } from "../../base/guards.ts";
import { errorMessage } from "../../base/format.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import { jsonToTerminal, terminalLine } from "../../base/escape-terminal.ts";
import { type ReadSession, type Setup, readFolder, readSession, writeSession } from "./session.ts";
import { findSourceFiles } from "./source.ts";

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
    return { file, status: "failed", reason: errorMessage(error) };
  }
}

/** Writes a session unless all of it is here already. */
function place(read: ReadSession, io: ImportIo, setup: Setup): ImportOutcome {
  const { session: theirs } = read;
  const session = nameSession(read);
  const logs = new Bun.Glob(`*/${session}.jsonl`);
  const [known] = attempt(() => [...logs.scanSync({ cwd: io.paths.sessions, absolute: true })], []);
  if (known !== undefined) {
    const title = theirs.title ?? `session ${theirs.id}`;
    return { status: "known", session, log: known, title, reason: "already imported" };
  }
  const own = readFolder(theirs);
  const cwd = own ?? io.cwd;
  const draft = new LogImporter(join(io.paths.sessions, projectName(cwd)), session);
  try {
    const { lastMs, title } = writeSession(read, { name: session, cwd }, draft, setup);
    // Lists show it at the time it happened; a wrong clock must not keep it on top forever.
    draft.finish(Math.min(Math.max(lastMs, 0), Date.now()));
    return {
      status: "imported",
      session,
      log: draft.file,
      cwd,
      title,
      entries: draft.entries,
      reason: own === null ? "its folder is unknown, so it is filed under this one" : "",
      skipped: theirs.skipped,
    };
  } finally {
    draft.discard();
  }
}

/**
 * The time the session began and a hash of its id and size, so the same session has the same name
 * and one that has grown another. The id is not trusted, so it is never part of a path.
 */
function nameSession({ session: { agent, id, bytes }, startedMs }: ReadSession): string {
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
