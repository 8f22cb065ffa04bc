/** Recordings from a file or a folder, in any known format. */

import { basename } from "node:path";
import { pathTo, readLog } from "../../src/log/read.ts";
import { isCommonHeader, readCommonFormat } from "./common-format.ts";
import { toRecording } from "./own-log.ts";
import { RecordingError, type Recording } from "./recording.ts";

/** Paths of the recordings at `path`, a file or a folder, sorted. Throws `RecordingError`. */
export async function findRecordings(path: string): Promise<string[]> {
  if (await Bun.file(path).exists()) return [path];
  try {
    const names = await Array.fromAsync(new Bun.Glob("**/*.jsonl").scan(path));
    if (names.length > 0) return names.sort().map((name) => `${path.replace(/\/$/, "")}/${name}`);
  } catch {
    throw new RecordingError(`${path}: no such file or folder. Name a recorded session.`);
  }
  throw new RecordingError(`${path}: no .jsonl file in this folder. Name a recorded session.`);
}

export async function readRecording(path: string): Promise<Recording> {
  const name = basename(path, ".jsonl");
  const { importFile } = await import("../commands/import/read.ts");
  const foreign = importFile(path);
  if (foreign) return toRecording(name, foreign);
  const log = readLog(path);
  if (log.entries[0]?.type === "session") return toRecording(name, pathTo(log));
  const lines = parseLines(await Bun.file(path).text(), path);
  if (isCommonHeader(lines[0])) return readCommonFormat(name, lines);
  throw new RecordingError(
    `${path}: line 1 is neither a session of this program or another agent, nor a recording's header.`,
  );
}

/** Ignores a torn last line, which a crash leaves behind. */
function parseLines(text: string, path: string): unknown[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line, index) => {
    try {
      return [JSON.parse(line)];
    } catch {
      if (index === lines.length - 1) return [];
      throw new RecordingError(`${path}, line ${index + 1}: not JSON.`);
    }
  });
}
