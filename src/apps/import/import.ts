/** `mini-claude import`: sessions of other agents become sessions of ours. */

import type { EntryId, Fact } from "../../protocol/entry.ts";
import { detect } from "./detect.ts";
import { importHelp, readOptions, type Options } from "./options.ts";
import { jsonOf, lineOf, sumOf, type ImportResult } from "./import-result.ts";
import { folderOf, writeSession, type Destination } from "./write-session.ts";
import { ImportIndex, type Earlier } from "./import-index.ts";
import type { ReadResult } from "./source.ts";
import { SourceFile } from "./source-file.ts";
import { filesAt } from "./walk.ts";

/** A log that appears once it is whole. */
export type Draft = {
  readonly file: string;
  readonly entries: number;
  append(fact: Fact, at: string, parent: EntryId | null): EntryId;
  finish(changedMs: number): void;
  discard(): void;
};

export type ImportIo = {
  out(text: string): void;
  err(text: string): void;
  cwd: string;
  /** One folder a project below it. */
  sessions: string;
  house: Destination;
  /** A new log among the sessions of a folder. */
  begin(cwd: string, session: string): Draft;
  /** Removes a session for good; throws when it is open somewhere. */
  remove(file: string): void;
};

const done = 0;
const failed = 1;
const wrongUse = 2;

/** Gives the exit code. */
export function runImport(args: readonly string[], io: ImportIo): number {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    io.err(`mini-claude import: ${reasonOf(error)} See mini-claude import --help.\n`);
    return wrongUse;
  }
  if (options.help || options.places.length === 0) {
    (options.help ? io.out : io.err)(importHelp);
    return options.help ? done : wrongUse;
  }
  const shelf = new ImportIndex(io.sessions);
  const outcomes: ImportResult[] = [];
  const tell = (outcome: ImportResult): void => {
    outcomes.push(outcome);
    // What a folder holds beside sessions is counted at the end, and not told one by one.
    if (options.json) io.out(`${jsonOf(outcome)}\n`);
    else if (outcome.status === "failed") io.err(`${lineOf(outcome)}\n`);
    else if (outcome.status !== "passed over") io.out(`${lineOf(outcome)}\n`);
  };
  for (const place of options.places) {
    const found = filesAt(place, io.cwd);
    if (!found) tell({ file: place, status: "failed", reason: "there is no such file or folder" });
    for (const file of found?.files ?? []) {
      const outcome = importFile(file, found?.isFolder === true, shelf, io);
      tell(
        outcome.status === "passed over" && !found?.isFolder
          ? { ...outcome, status: "failed" }
          : outcome,
      );
    }
  }
  const here = outcomes.some(({ status }) => ["imported", "updated", "known"].includes(status));
  if (outcomes.length === 0) io.err("There is no .jsonl file.\n");
  else if (!options.json && (outcomes.length > 1 || !here)) io.err(`${sumOf(outcomes)}\n`);
  return here && !outcomes.some(({ status }) => status === "failed") ? done : failed;
}

function importFile(
  path: string,
  inFolder: boolean,
  shelf: ImportIndex,
  io: ImportIo,
): ImportResult {
  let file: SourceFile | null = null;
  try {
    file = new SourceFile(path);
    const detected = detect(file);
    if (detected.reader === null)
      return { file: path, status: "passed over", reason: detected.reason };
    const reading = detected.reader.read(file);
    reading.about.startedMs ??= file.changedMs;
    const { agent, id, isSubagent } = reading.about;
    const whose = { file: path, agent, id };
    if (isSubagent && inFolder)
      return { ...whose, status: "passed over", reason: "it is a subagent's conversation" };
    if (!reading.hasConversation)
      return { ...whose, status: "passed over", reason: "it holds no conversation" };
    return { ...whose, ...place(reading, path, shelf, io) };
  } catch (error) {
    return { file: path, status: "failed", reason: reasonOf(error) };
  } finally {
    file?.close();
  }
}

type Placed = Omit<ImportResult, "file">;

function place(reading: ReadResult, path: string, shelf: ImportIndex, io: ImportIo): Placed {
  const { about } = reading;
  const earlier = shelf.find(about);
  const [latest] = earlier;
  const title = about.title ?? `session ${about.id}`;
  if (latest && latest.bytes >= about.bytes) {
    const { session, file: log } = latest;
    return { status: "known", session, log, title, reason: "already imported" };
  }
  const placed = write(reading, path, shelf, io);
  if (placed.status !== "imported" || !latest) return placed;
  const notes = earlier.map((one) => makeRoom(one, io)).join("; ");
  return {
    ...placed,
    status: "updated",
    reason: [placed.reason, notes].filter(Boolean).join("; "),
  };
}

/** An earlier import that nobody went on with gives way to the longer one. */
function makeRoom(earlier: Earlier, io: ImportIo): string {
  const stays = (why: string): string => `its earlier import ${earlier.session} ${why}, and stays`;
  if (!earlier.isUntouched) return stays("was gone on with");
  try {
    io.remove(earlier.file);
    return `takes the place of ${earlier.session}`;
  } catch {
    return stays("is open");
  }
}

function write(reading: ReadResult, path: string, shelf: ImportIndex, io: ImportIo): Placed {
  const { about, leftOut } = reading;
  const own = folderOf(about);
  const cwd = own ?? io.cwd;
  const name = shelf.nameFor(about);
  const draft = io.begin(cwd, name);
  try {
    const written = writeSession(reading, path, name, cwd, draft, io.house);
    if (written.conversation === 0)
      return { status: "passed over", reason: "it holds no conversation" };
    // In lists it stands where it happened; a clock that was wrong does not put it on top for ever.
    draft.finish(Math.min(Math.max(written.lastMs, 0), Date.now()));
    shelf.put(about, draft.file);
    const { file: log, entries } = draft;
    const reason = own === null ? "its folder is not known, so it is kept with this one" : "";
    const { title } = written;
    const left = leftOut.kinds;
    return { status: "imported", session: name, log, cwd, title, entries, reason, leftOut: left };
  } finally {
    draft.discard();
  }
}

const reasons: Record<string, string> = {
  ENOENT: "it does not exist",
  EACCES: "you have no right to read it",
  EPERM: "you have no right to read it",
  EISDIR: "it is a folder",
};

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return Object.hasOwn(reasons, code) ? (reasons[code] ?? error.message) : error.message;
}
