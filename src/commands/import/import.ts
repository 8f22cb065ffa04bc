/** `mini-claude import`: imports sessions of other agents. */

import { statSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
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
import { terminalLine } from "../../base/escape-terminal.ts";
import { isClaudeCode, readClaudeCode } from "./claude-code.ts";
import { isCodex, readCodex } from "./codex.ts";
import { findSourceFiles, openSource, type SourceFile } from "./source.ts";
import { Transcript } from "./transcript.ts";

export const help = `Usage: mini-claude import FILE|DIR...
Imports sessions of other agents, to view or resume here. Their files are never changed.

  Claude Code   ~/.claude/projects
  Codex         ~/.codex

Folders are searched for .jsonl and .jsonl.zst files; the agent is detected from the content. A
session is filed under the folder it was held in: start mini-claude --resume ID there. Nothing is
imported twice; a session that has grown is imported again, beside the earlier import. Subagents'
conversations are skipped in folders; name their file to import one.

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

/** known: all of it was imported before. skipped: it is not a session to import. */
const statuses = ["imported", "known", "skipped", "failed"] as const;

/** The outcome for one file, in untrusted words. */
type Outcome = { status: (typeof statuses)[number]; words: string[] };

/** Returns the exit code. Throws `UsageError`. */
export function runImport(args: readonly string[], io: ImportIo, setup: Setup): number {
  const { positionals } = parseOptions(args, {});
  if (positionals.length === 0) throw new UsageError(`import needs files or folders:\n${help}`);
  const counts = { imported: 0, known: 0, skipped: 0, failed: 0 };
  for (const place of positionals) {
    const path = resolve(io.cwd, place);
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    const files = isFolder ? findSourceFiles(path).sort() : [path];
    for (const [done, file] of files.entries()) {
      io.progress?.(done, files.length, basename(file));
      const { status, words } = importFile(file, isFolder, io, setup);
      counts[status] += 1;
      const parts = [status, ...words.filter(Boolean).map((word) => terminalLine(word, 300))];
      // Other files in a folder are counted at the end, not listed one by one.
      if (status === "failed") io.err(`${parts.join("  ")}\n`);
      else if (status !== "skipped") io.out(`${parts.join("  ")}\n`);
    }
  }
  const here = counts.imported + counts.known;
  const counted = statuses.filter((status) => counts[status] > 0);
  if (counted.length === 0) io.err("No sessions found.\n");
  else if (here !== 1 || counted.length > 1)
    io.err(`${counted.map((status) => `${counts[status]} ${status}`).join(", ")}\n`);
  return here > 0 && counts.failed === 0 ? 0 : 1;
}

function importFile(path: string, inFolder: boolean, io: ImportIo, setup: Setup): Outcome {
  try {
    const file = openSource(path);
    const session = readSession(file);
    if (typeof session !== "string" && !(session.isSubagent && inFolder))
      return place(session, file, io, setup);
    const reason = typeof session === "string" ? session : "it is the conversation of a subagent";
    // A file that was named is expected to be imported.
    return { status: inFolder ? "skipped" : "failed", words: [`${path}: ${reason}`] };
  } catch (error) {
    return { status: "failed", words: [`${path}: ${errorMessage(error)}`] };
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
function place(theirs: Transcript, file: SourceFile, io: ImportIo, setup: Setup): Outcome {
  const startedMs = theirs.startedMs ?? file.changedMs;
  const session = nameSession(theirs, startedMs);
  const { agent, id, bytes } = theirs;
  const given = terminalLine(theirs.title ?? "", 120);
  const title = `“${takeStart(given || terminalLine(theirs.firstWords, 120), 60)}”`;
  const logs = new Bun.Glob(`*/${session}.jsonl`);
  const isKnown = attempt(() => logs.scanSync(io.paths.sessions).next().done === false, false);
  if (isKnown) return { status: "known", words: [session, agent, title, "already imported"] };
  const own = readFolder(theirs.cwd);
  const cwd = own ?? io.cwd;
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
  const log = join(io.paths.sessions, projectName(cwd), `${session}.jsonl`);
  // Lists show it at the time it happened; a wrong clock must not keep it on top forever.
  writeSession(log, entries, Math.min(Math.max(theirs.lastMs, 0), Date.now()));
  const reason = own === null ? "its folder is unknown, so it is filed under this one" : "";
  const words = [session, `${entries.length} entries`, agent, title, cwd, reason];
  return { status: "imported", words };
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
const readFolder = (cwd: string | null): string | null =>
  cwd !== null && cwd.length <= 4_096 && isAbsolute(cwd) && !cwd.includes("\0")
    ? resolve(cwd)
    : null;

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
