import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { closeSync, openSync, readSync } from "node:fs";
import { textOf } from "../protocol/block.ts";
import { isHeld } from "./lock.ts";
import { parseLine } from "./parse.ts";

export type SessionInfo = {
  session: string;
  file: string;
  cwd: string;
  model: string;
  /** What the person called it, else their first words. */
  title: string;
  /** Time of the last change, milliseconds since the epoch. */
  changedMs: number;
  bytes: number;
  /** Another process has it open. */
  busy: boolean;
};

/** How much of a log's head and tail is read to describe it, in bytes. */
const glanceBytes = 128 * 1024;

/** The sessions in a folder, latest first; those that hold no session are left out. */
export async function listSessions(folder: string): Promise<SessionInfo[]> {
  const names = await readdir(folder).catch(() => []);
  const infos = await Promise.all(
    names
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => describeSession(join(folder, name))),
  );
  return infos.filter((info) => info !== null).sort((a, b) => b.changedMs - a.changedMs);
}

/** Null when the file is no session. Costs two short reads, however large the log is. */
export async function describeSession(file: string): Promise<SessionInfo | null> {
  const info = await stat(file).catch(() => null);
  if (!info?.isFile()) return null;
  const seen = { cwd: "", model: "", first: "", title: "", isSession: false };
  for (const line of glance(file, info.size)) {
    const parsed = parseLine(line);
    if ("problem" in parsed) continue;
    const { entry } = parsed;
    if (entry.type === "session") {
      seen.isSession = true;
      seen.cwd = entry.cwd;
      seen.model = entry.model;
    } else if (entry.type === "user" && seen.first === "") seen.first = textOf(entry.content);
    else if (entry.type === "note" && entry.kind === "title") seen.title = entry.text;
    else if (entry.type === "model") seen.model = entry.model;
  }
  if (!seen.isSession) return null;
  return {
    session: basename(file, ".jsonl"),
    file,
    cwd: seen.cwd,
    model: seen.model,
    title: (seen.title || seen.first).replace(/\s+/g, " ").trim().slice(0, 200),
    changedMs: info.mtimeMs,
    bytes: info.size,
    busy: isHeld(file),
  };
}

/** Whole lines of the first and the last bytes of a file. */
function glance(file: string, size: number): string[] {
  const fd = openSync(file, "r");
  try {
    const read = (from: number, bytes: number): string => {
      const buffer = Buffer.alloc(bytes);
      return buffer.toString("utf8", 0, readSync(fd, buffer, 0, bytes, from));
    };
    if (size <= 2 * glanceBytes)
      return read(0, size)
        .split("\n")
        .filter((line) => line !== "");
    const head = read(0, glanceBytes).split("\n").slice(0, -1);
    const tail = read(size - glanceBytes, glanceBytes)
      .split("\n")
      .slice(1);
    return [...head, ...tail].filter((line) => line !== "");
  } finally {
    closeSync(fd);
  }
}
