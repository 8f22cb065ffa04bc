/** Recordings from a file or a folder, whatever format each file has. */

import { isCommonHeader, readCommonFormat } from "./common-format.ts";
import { isOwnLog, readOwnLog } from "./own-log.ts";
import { RecordingError, type Recording } from "./recording.ts";

/** Paths of the recordings below `place`, in order of their names. Throws `RecordingError`. */
export async function findRecordings(place: string): Promise<string[]> {
  if (await Bun.file(place).exists()) return [place];
  try {
    const names = await Array.fromAsync(new Bun.Glob("**/*.jsonl").scan(place));
    if (names.length > 0) return names.sort().map((name) => `${place.replace(/\/$/, "")}/${name}`);
  } catch {
    throw new RecordingError(`${place}: there is no such file or folder; name a recorded session.`);
  }
  throw new RecordingError(`${place}: this folder holds no .jsonl file; name a recorded session.`);
}

/** Entries of our own, made of a session of another agent; null: the file holds none. */
export type ReadForeign = (path: string) => unknown[] | null;

export async function readRecording(path: string, readForeign?: ReadForeign): Promise<Recording> {
  const foreign = readForeign?.(path);
  if (foreign) return readOwnLog(nameOf(path), foreign);
  const lines = parseLines(await Bun.file(path).text(), path);
  const name = nameOf(path);
  if (isOwnLog(lines[0])) return readOwnLog(name, lines);
  if (isCommonHeader(lines[0])) return readCommonFormat(name, lines);
  throw new RecordingError(
    `${path}: line 1 is neither a session of this program or another agent, nor the header of a recording.`,
  );
}

const nameOf = (path: string): string => path.replace(/^.*\//, "").replace(/\.jsonl$/, "");

/** A torn last line is what a crash leaves, and is left out. */
function parseLines(text: string, path: string): unknown[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line, index) => {
    try {
      return [JSON.parse(line)];
    } catch {
      if (index === lines.length - 1) return [];
      throw new RecordingError(`${path}, line ${index + 1}: this is no JSON.`);
    }
  });
}
