/** `mini-claude import`: imports sessions of other agents. */

import { statSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import { promptFrom } from "../../agent/opening.ts";
import { projectName } from "../../config/paths.ts";
import { type Settings, loadSettings } from "../../config/settings.ts";
import { type SubcommandIo, parseOptions } from "../../config/subcommands.ts";
import { UsageError } from "../../config/usage-error.ts";
import { writeSession } from "../../log/store.ts";
import { attempt } from "../../base/guards.ts";
import { logVersion } from "../../log/parse.ts";
import { takeStart } from "../../base/clip.ts";
import { errorMessage } from "../../base/format.ts";
import { blockText } from "../../protocol/block.ts";
import type { Entry, SessionFact } from "../../protocol/entry.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import { terminalLine } from "../../base/escape-terminal.ts";
import { isClaudeCode, readClaudeCode } from "./claude-code.ts";
import { isCodex, readCodex } from "./codex.ts";
import { findSourceFiles, openSource, type SourceFile } from "./source.ts";
import { Transcript } from "./transcript.ts";

export const help = `mini-claude import FILE|DIR...   import sessions of other agents, to view or resume here

  Claude Code   ~/.claude/projects
  Codex         ~/.codex

Their files are never changed. Folders are searched for .jsonl and .jsonl.zst files; the agent is
detected from the content. A session is filed under the folder it was held in: start mini-claude
--resume ID there. Nothing is imported twice; a session that has grown is imported again, beside the
earlier import. Subagents' conversations are skipped in folders; name their file to import one.

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
  const names = tools.map(({ name }) => name);
  return runImport(args, io, { system: promptFrom({}, names), tools, model: settings.model });
}

/** What an imported session needs to be resumed here; `model` continues it. */
type Setup = Pick<SessionFact, "system" | "tools" | "model">;

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
  const summary = counted.map((status) => `${counts[status]} ${status}`).join(", ");
  if (here !== 1 || counted.length > 1) io.err(`${summary || "No sessions found."}\n`);
  return here > 0 && counts.failed === 0 ? 0 : 1;
}

function importFile(path: string, inFolder: boolean, io: ImportIo, setup: Setup): Outcome {
  try {
    const file = openSource(path);
    const session = readSession(file);
    if (session && !(session.isSubagent && inFolder)) return place(session, file, io, setup);
    // A file that was named is expected to be imported.
    if (inFolder) return { status: "skipped", words: [] };
    const reason = `${path}: it contains no session of Claude Code or Codex`;
    return { status: "failed", words: [reason] };
  } catch (error) {
    return { status: "failed", words: [`${path}: ${errorMessage(error)}`] };
  }
}

/** Lines to examine: a file may begin with damaged or unspecific lines. */
const maxLines = 2_000;

/** The session in a file, of whichever agent wrote it: judged by its content, not by its name. */
function readSession(file: SourceFile): Transcript | null {
  for (const json of file.lines().take(maxLines)) {
    const isCodexFile = isCodex(json);
    if (!isCodexFile && !isClaudeCode(json)) continue;
    const session = new Transcript(isCodexFile ? "Codex" : "Claude Code", file);
    if (isCodexFile) readCodex(file, session);
    else readClaudeCode(file, session);
    return session.entries.some(isConversation) ? session : null;
  }
  return null;
}

/** Whether an entry is part of the conversation itself. */
const isConversation = ({ type }: Entry): boolean => ["user", "assistant", "result"].includes(type);

/** Writes a session unless all of it is here already. */
function place(theirs: Transcript, file: SourceFile, io: ImportIo, setup: Setup): Outcome {
  const { agent, id, bytes, entries } = theirs;
  const at = entries.find(isConversation)?.at ?? "";
  const text = `${agent}\n${id}\n${bytes}`;
  const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 6);
  const began = at.replace(/\..*|[-:+]/g, "").replace("T", "-");
  // The same for the same session, another for one that has grown. The id is not trusted in a path.
  const session = `${began}-${hash}`;
  const given = terminalLine(theirs.title ?? "", 120);
  const typed = entries.find(({ type }) => type === "user");
  const title = given || (typed?.type === "user" ? blockText(typed.content) : "");
  const logs = new Bun.Glob(`*/${session}.jsonl`);
  const isKnown = attempt(() => logs.scanSync(io.paths.sessions).next().done === false, false);
  if (isKnown)
    return { status: "known", words: [session, agent, quoted(title), "already imported"] };
  const own = readFolder(theirs.cwd);
  const cwd = own ?? io.cwd;
  const opening: Entry = {
    id: "e1",
    parent: null,
    at,
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
  const log = join(io.paths.sessions, projectName(cwd), `${session}.jsonl`);
  // Lists show it at the time it happened; a wrong clock must not keep it on top forever.
  const changedMs = Math.min(Math.max(Date.parse(entries.at(-1)?.at ?? at), 0), Date.now());
  writeSession(log, [opening, ...entries], changedMs);
  const reason = own === null ? "its folder is unknown, so it is filed under this one" : "";
  const words = [session, `${entries.length + 1} entries`, agent, quoted(title), cwd, reason];
  return { status: "imported", words };
}

const quoted = (title: string): string => `“${terminalLine(title, 60)}”`;

/**
 * Adds what the user and the next model need to know. It ends with a change of model, so that none of
 * the thinking, which is bound to what another program sent, is ever sent again.
 */
function close(session: Transcript, title: string, file: string, model: string): void {
  const { agent, skipped } = session;
  if (title !== "") session.note("title", title, null);
  const handover = `The conversation so far was held with ${agent} and has been imported. Tools that it mentions may not exist here: use only the tools you are given. Files may have changed since; read them again before relying on them.`;
  session.context("reminder", "imported", [{ type: "text", text: handover }], null);
  session.add({ type: "model", model }, null);
  const closing = `Imported from ${agent}, ${terminalLine(file, 200)}.`;
  const lines = skipped === 0 ? "" : ` Lines without a counterpart here: ${skipped}.`;
  session.note("info", `${closing}${lines}`, null);
}

/** The folder of a session; null when it is unknown or not a path of this machine. */
const readFolder = (cwd: string | null): string | null =>
  cwd !== null && cwd.length <= 4_096 && isAbsolute(cwd) && !cwd.includes("\0")
    ? resolve(cwd)
    : null;
