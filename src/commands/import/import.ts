/** `mini-claude import`: imports sessions of other agents. */

import { readFileSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { promptFrom } from "../../agent/opening/opening.ts";
import { projectName } from "../../config/paths.ts";
import { type Settings, loadSettings } from "../../config/settings.ts";
import { type SubcommandIo, parseOptions } from "../../config/subcommands.ts";
import { UsageError } from "../../config/usage-error.ts";
import { LogImporter } from "../../log/new-session.ts";
import { removeSession } from "../../log/remove.ts";
import { attempt, errorCode } from "../../base/guards.ts";
import { errorMessage } from "../../base/in-words.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import { jsonToTerminal } from "../../base/to-terminal.ts";
import { cleanLine, parseJson } from "./json.ts";
import {
  type ReadSession,
  type Setup,
  closingPrefix,
  readFolder,
  readSession,
  writeSession,
} from "./session.ts";
import { type ForeignSession, findSourceFiles, formatKinds } from "./source.ts";
import { z } from "zod";

export const help = `Usage: mini-claude import FILE|DIR... [--json]
Imports sessions of other agents, to view or resume here. Their files are never changed.

  Claude Code   ~/.claude/projects
  pi            ~/.pi/agent/sessions
  Codex         ~/.codex

Folders are searched for .jsonl and .jsonl.zst files; the agent is detected from the content. A
session is filed under the folder it was held in: start mini-claude --resume ID there. Nothing is
imported twice: a session that has grown replaces its earlier import, unless you have continued that
here. Subagents' conversations are skipped in folders; name their file to import one.

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
  const importFile = createImporter(io, setup);
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

type ImportOutcome = Omit<ImportResult, "file">;

const skipped = (why: string): ImportOutcome => ({ status: "skipped", reason: `it ${why}` });

function createImporter(io: ImportIo, setup: Setup) {
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
      const reason = systemReasons[errorCode(error)] ?? errorMessage(error);
      return { file, status: "failed", reason };
    }
  }

  function place(read: ReadSession): ImportOutcome {
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

  function write(read: ReadSession): ImportOutcome {
    const { session: theirs } = read;
    const own = readFolder(theirs);
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

/** An earlier import of the same session. */
type EarlierImport = {
  file: string;
  session: string;
  /** Bytes of the other agent's files that were read. */
  bytes: number;
  /** It was not continued here. */
  isUntouched: boolean;
};

const firstEntry = z.object({
  type: z.literal("session"),
  imported: z.object({ agent: z.string(), id: z.string(), bytes: z.number() }),
});
const lastEntry = z.object({ type: z.literal("note"), text: z.string() });

type ForeignIdentity = Pick<ForeignSession, "agent" | "id">;

/** The sessions that were imported before, found by their names. */
class ImportIndex {
  /** Files by the hash in their name. */
  readonly #files: Map<string, string[]>;

  /** `root` holds one folder per project. */
  constructor(root: string) {
    const logs = listNames(root).flatMap((folder) =>
      listNames(join(root, folder)).map((name) => join(root, folder, name)),
    );
    const form = /^\d+-\d+-([0-9a-f]{6})(?:-\d+)?\.jsonl$/;
    this.#files = Map.groupBy(logs, (file) => form.exec(basename(file))?.[1] ?? "");
  }

  /** The imports of a session, the most complete first. */
  find(session: ForeignIdentity): EarlierImport[] {
    const files = this.#files.get(hashSession(session)) ?? [];
    const found = files.flatMap((file) => attempt(() => readEarlier(file, session), null) ?? []);
    return found.sort((a, b) => b.bytes - a.bytes);
  }

  /** A free name, made of the time the session began and a hash of its id. */
  nameFor(session: ForeignIdentity & Pick<ForeignSession, "startedMs">): string {
    const began = new Date(session.startedMs ?? 0).toISOString().slice(0, 19);
    const hash = hashSession(session);
    const base = `${began.replace(/[-:+]/g, "").replace("T", "-")}-${hash}`;
    const taken = new Set((this.#files.get(hash) ?? []).map((file) => basename(file, ".jsonl")));
    for (let number = 2, name = base; ; name = `${base}-${number++}`) {
      if (!taken.has(name)) return name;
    }
  }

  put(session: ForeignIdentity, file: string): void {
    const hash = hashSession(session);
    this.#files.set(hash, [...(this.#files.get(hash) ?? []), file]);
  }
}

/** A short hash of the session's id. The id itself is not trusted, so it is never part of a path. */
const hashSession = ({ agent, id }: ForeignIdentity): string =>
  new Bun.CryptoHasher("sha256").update(`${agent}\n${id}`).digest("hex").slice(0, 6);

const listNames = (folder: string): string[] => attempt(() => readdirSync(folder), []);

function readEarlier(file: string, session: ForeignIdentity): EarlierImport | null {
  const log = readFileSync(file);
  const parseSlice = (from: number, to: number): unknown =>
    parseJson(log.toString("utf8", from, to));
  const first = firstEntry.safeParse(parseSlice(0, log.indexOf(10)));
  if (!first.success) return null;
  const { agent, id, bytes } = first.data.imported;
  if (agent !== session.agent || id !== session.id) return null;
  const last = lastEntry.safeParse(parseSlice(log.lastIndexOf(10, -2) + 1, log.length));
  const isUntouched = last.success && last.data.text.startsWith(closingPrefix);
  return { file, session: basename(file, ".jsonl"), bytes, isUntouched };
}
