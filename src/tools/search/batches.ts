/** The files of a search, as many at a time as one process of ripgrep gets. */

import { relative, sep } from "node:path";
import type { FileRun, SearchQuery } from "./matches.ts";

/** Bytes of paths for one process: well below what systems accept on a command line. */
const batchBytes = process.platform === "win32" ? 24 * 1024 : 256 * 1024;

/** Few enough that all processors have work until the end, enough that it is worth a process. */
const batchFiles = 8_000;

/** The first batch is small, so that the search begins soon; each is twice the one before it. */
const firstFiles = 1_000;

/** If lines are shown: often all of them are in the first files, and the others are only counted. */
const firstShown = 250;

/** Files that are named one by one between two checks of their total size. */
const filesOfPiece = 50;

/** `ways`: its arguments, the paths relative to the folder of the search. */
export type Batch = { runs: FileRun[]; ways: string[] };

export async function* batchesOf(query: SearchQuery): AsyncGenerator<Batch> {
  const { folder, files } = query;
  let batch: Batch = { runs: [], ways: [] };
  let maxFiles = query.linesWanted() > 0 ? firstShown : firstFiles;
  let count = 0;
  let bytes = 0;
  for await (const run of files) {
    // Never the name alone: "-" would be the standard input.
    const way = run.folder === folder ? "." : `.${sep}${relative(folder, run.folder)}`;
    for (const piece of piecesOf(run)) {
      const ways = piece.isWhole ? [way] : piece.names.map((name) => way + sep + name);
      batch.runs.push(piece);
      batch.ways.push(...ways);
      count += piece.names.length;
      bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 0);
      if (count < maxFiles && bytes < batchBytes) continue;
      yield batch;
      batch = { runs: [], ways: [] };
      maxFiles = Math.min(2 * maxFiles, batchFiles);
      count = 0;
      bytes = 0;
    }
  }
  if (count > 0) yield batch;
}

/** Splits a folder that is too large for one process. */
function* piecesOf(run: FileRun): Generator<FileRun> {
  if (run.isWhole && run.names.length <= batchFiles) return yield run;
  for (let from = 0; from < run.names.length; from += filesOfPiece)
    yield { ...run, names: run.names.slice(from, from + filesOfPiece), isWhole: false };
}
