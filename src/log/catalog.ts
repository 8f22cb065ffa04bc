import { attempt } from "../base/guards.ts";
import { takeStart } from "../base/clip.ts";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { open, readdir, readFile, rm, stat, type FileHandle } from "node:fs/promises";
import { isOutcome } from "../protocol/outcome.ts";
import { basename, join } from "node:path";
import { blockText } from "../protocol/block.ts";
import type { Entry } from "../protocol/entry.ts";
import { usedBy } from "../protocol/model.ts";
import { headLines, lastLineWith, tailLines } from "./peek.ts";
import { acquireLock, findHolder } from "./lock.ts";
import { LogError } from "./log-error.ts";
import { parseLine } from "./parse.ts";
import { readLines } from "./read.ts";

export type SessionInfo = {
  session: string;
  file: string;
  cwd: string;
  /** The model that answered last. */
  model: string;
  /** The title set by the user, else the first prompt. */
  title: string;
  /** The user's first prompt, on one line. */
  firstPrompt: string;
  /** Last change, in milliseconds since the epoch. */
  changedMs: number;
  bytes: number;
  /** Tokens of the latest call that was answered. */
  usedTokens: number | null;
  /** Number of entries. */
  entries: number;
  /** Another process has it open. */
  busy: boolean;
  /** The session whose agent began this one to have a task done; null: the user did. */
  startedBy: string | null;
};

/** Sessions read at a time. */
const concurrency = 16;

/** Bytes searched backwards for a title set by the user, or for a folder's new name. */
const titleBytes = 16 * 1024 * 1024;

/**
 * The sessions in a project's folder, latest first; only those whose names start with `begin`.
 * Other files are ignored.
 */
export async function listSessions(folder: string, begin = ""): Promise<SessionInfo[]> {
  const files = await listNames(folder, ".jsonl");
  return describeAll(files.filter((file) => basename(file).startsWith(begin)));
}

/** The sessions of all projects, latest first; `root` has one folder per project. */
export async function listAllSessions(root: string): Promise<SessionInfo[]> {
  const folders = await listNames(root, "");
  const files = await Promise.all(folders.map((folder) => listNames(folder, ".jsonl")));
  return describeAll(files.flat());
}

const hint = "mini-claude sessions list shows them; with --all, also those of other folders.";

/**
 * The session of that name, else the only one whose name begins with it. Throws `LogError` when
 * there is none or more than one.
 */
export function findSession(sessions: readonly SessionInfo[], name: string): SessionInfo {
  const exact = sessions.find(({ session }) => session === name);
  if (exact) return exact;
  const matches = sessions.filter(({ session }) => name !== "" && session.startsWith(name));
  const [only] = matches;
  if (!only) throw new LogError(`No session of this folder is called “${name}”. ${hint}`);
  if (matches.length > 1)
    throw new LogError(
      `“${name}” matches ${matches.length} sessions; use a longer prefix. ${hint}`,
    );
  return only;
}

/** The user's session that changed last; null: there is none. Later ones are not read. */
export async function latestSession(folder: string): Promise<SessionInfo | null> {
  const files = await listNames(folder, ".jsonl");
  const changed = files.map((file) => ({
    file,
    changedMs: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  for (const { file } of changed.sort(latestFirst)) {
    const info = await describeSession(file);
    if (info && isOfUser(info)) return info;
  }
  return null;
}

/** Opening a pipe would wait for its writer. */
const isRegular = (file: string): boolean =>
  attempt(() => statSync(file, { throwIfNoEntry: false }), undefined)?.isFile() ?? false;

/** Whether the user began it, and not another session's agent. */
export const isOfUser = ({ startedBy }: Pick<SessionInfo, "startedBy">): boolean =>
  startedBy === null;

/** Largest file whose turns are counted, in bytes. */
const maxCounted = 64 * 1024 * 1024;

const userLine = /^\{"id":"[^"]*","parent":(?:null|"[^"]*"),"at":"[^"]*","type":"user"/gm;

/** Null: it is too large to count them. */
export const countTurns = async ({
  file,
  bytes,
}: Pick<SessionInfo, "file" | "bytes">): Promise<number | null> =>
  bytes > maxCounted ? null : ((await readFile(file, "utf8")).match(userLine)?.length ?? 0);

const listNames = async (folder: string, end: string): Promise<string[]> =>
  (await readdir(folder).catch(() => []))
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name));

async function describeAll(files: readonly string[]): Promise<SessionInfo[]> {
  const infos: SessionInfo[] = [];
  for (let at = 0; at < files.length; at += concurrency) {
    const some = await Promise.all(files.slice(at, at + concurrency).map(describeSession));
    infos.push(...some.filter((info) => info !== null));
  }
  return infos.sort(latestFirst);
}

type Changed = Pick<SessionInfo, "changedMs" | "file">;

const latestFirst = (a: Changed, b: Changed): number =>
  b.changedMs - a.changedMs || (a.file < b.file ? 1 : -1);

/** Null when the file is not a session. Parses only the head and the tail of the file. */
export async function describeSession(file: string): Promise<SessionInfo | null> {
  await using handle = isRegular(file) ? await open(file, "r").catch(() => null) : null;
  if (!handle) return null;
  try {
    const info = await handle.stat();
    const seen = await summarize(handle, info.size);
    if (!seen) return null;
    return {
      ...seen,
      session: basename(file, ".jsonl"),
      file,
      changedMs: info.mtimeMs,
      bytes: info.size,
      busy: findHolder(file) !== null,
    };
  } catch {
    // Deleted by now, or unreadable: it cannot be resumed either.
    return null;
  }
}

/** Null: it is not a session. */
async function summarize(handle: FileHandle, size: number) {
  const head = await headLines(handle, size, (lines) =>
    lines.some((line) => line.includes('"type":"user"')),
  );
  const first = parseEntries(head);
  const session = first.find((entry) => entry.type === "session");
  if (!session) return null;
  const prompt = first.find((entry) => entry.type === "user");
  const last = parseEntries(await tailLines(handle, size));
  const model = last.findLast((entry) => entry.type === "assistant" || entry.type === "model");
  const answer = last.findLast((entry) => entry.type === "assistant");
  const firstPrompt = prompt ? oneLine(prompt.typed ?? blockText(prompt.content)) : "";
  const title = await lastLineWith(handle, size, '"kind":"title"', parseTitle, titleBytes);
  return {
    startedBy: session.startedBy?.session ?? null,
    cwd: existsSync(session.cwd) ? session.cwd : await movedTo(handle, size, session.cwd),
    model: model?.model ?? session.model,
    title: title ?? firstPrompt,
    firstPrompt,
    usedTokens: answer ? usedBy(answer.usage) : null,
    entries: Number(/^e(\d+)$/.exec((last.at(-1) ?? first.at(-1))?.id ?? "")?.[1] ?? 0),
  };
}

const parseEntries = (lines: readonly string[]): Entry[] =>
  lines.flatMap((line) => {
    const { entry } = parseLine(line);
    return entry === null ? [] : [entry];
  });

/** A session whose folder was renamed names the new one when it is resumed there. */
async function movedTo(handle: FileHandle, size: number, began: string): Promise<string> {
  const last = await lastLineWith(handle, size, '"type":"session"', parseFolder, titleBytes);
  return last ?? began;
}

function parseFolder(line: string): string | null {
  const { entry } = parseLine(line);
  return entry?.type === "session" ? entry.cwd : null;
}

function parseTitle(line: string): string | null {
  const { entry } = parseLine(line);
  return entry?.type === "note" && entry.kind === "title" ? oneLine(entry.text) : null;
}

/** As much of a title or prompt as a list can show. */
const oneLine = (text: string): string =>
  takeStart(takeStart(text, 2_000).replace(/\s+/g, " ").trim(), 200).toWellFormed();

/**
 * Deletes a session's log and the files beside it. Throws `LogError` when a process has it open.
 */
export function removeSession(file: string): void {
  if (!file.endsWith(".jsonl")) throw new LogError(`${file} is not a session log.`);
  const lock = acquireLock(file);
  try {
    for (const own of [file, `${file}.torn`]) rmSync(own, { force: true });
  } finally {
    lock.release();
  }
}

/** Result files and checkpoint hashes that logs refer to. */
type References = { files: Set<string>; hashes: Set<string> };

/** References of all sessions of all projects; `root` has one folder per project. */
function findReferences(root: string): References {
  const found: References = { files: new Set(), hashes: new Set() };
  if (!existsSync(root)) return found;
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".jsonl")) collect(join(root, name), found);
  }
  return found;
}

function collect(file: string, found: References): void {
  for (const bytes of readLines(file)) {
    const line = bytes.toString("utf8");
    // Parsing only lines that can hold a reference is ten times faster.
    if (!line.includes('"type":"checkpoint"') && !line.includes('"file":')) continue;
    const { entry } = parseLine(line);
    if (entry && isOutcome(entry) && entry.file !== undefined) found.files.add(entry.file);
    if (entry?.type !== "checkpoint") continue;
    for (const { before, after } of entry.files) {
      if (before !== null) found.hashes.add(before);
      if (after !== null) found.hashes.add(after);
    }
  }
}

/** Where sessions, results and checkpoints are kept. */
type PruneFolders = { sessions: string; toolResults: string; checkpoints: string };

/**
 * Removes the sessions that were last changed before `beforeMs` (since the epoch) and are not open,
 * then the results and checkpoints of that age that no session of any project refers to.
 */
export async function prune(
  sessions: readonly SessionInfo[],
  beforeMs: number,
  folders: PruneFolders,
) {
  const old = sessions.filter(({ changedMs, busy }) => !busy && changedMs < beforeMs);
  for (const { file } of old) removeSession(file);
  const { files, hashes } = findReferences(folders.sessions);
  // Names are unique. A path may be spelled differently in the log, as its home may be a symlink.
  const names = new Set([...files].map((file) => basename(file)));
  return {
    sessions: old.length,
    results: (await removeOld(folders.toolResults, names, beforeMs)).length,
    checkpointBytes: await pruneCheckpoints(folders.checkpoints, hashes, beforeMs),
  };
}

/**
 * Removes contents that no log refers to and that were saved before `beforeMs` since the epoch: the
 * log entry of a younger one may not be written yet. Returns the bytes freed.
 */
async function pruneCheckpoints(
  folder: string,
  referred: ReadonlySet<string>,
  beforeMs: number,
): Promise<number> {
  let freed = 0;
  for (const name of await readdir(folder).catch(() => []))
    for (const bytes of await removeOld(join(folder, name), referred, beforeMs)) freed += bytes;
  return freed;
}

/** Removes the files of a folder that are older than that and not among the names; returns their sizes. */
async function removeOld(
  folder: string,
  kept: ReadonlySet<string>,
  beforeMs: number,
): Promise<number[]> {
  const sizes: number[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    if (kept.has(name)) continue;
    const file = join(folder, name);
    const info = await stat(file).catch(() => null);
    if (!info?.isFile() || info.mtimeMs >= beforeMs) continue;
    await rm(file, { force: true });
    sizes.push(info.size);
  }
  return sizes;
}
