import { relative } from "node:path";
import fuzzysort from "fuzzysort";

/** Files that are looked at; a workspace with more is completed from the first ones. */
const mostFiles = 50_000;

/** Letters in order, with a few left out, are enough: the library's own 0.5 asks for nearly all. */
const leastScore = 0.2;

/** The list is rebuilt when it is older than this. */
const freshMs = 10_000;

/** Completes paths of the workspace, .gitignore honoured, best match first. */
export function completeFiles(
  cwd: string,
  walk: (signal: AbortSignal) => AsyncIterable<string>,
): (query: string) => Promise<string[]> {
  let listed: { atMs: number; files: Promise<string[]> } | null = null;
  return async (query) => {
    if (!listed || Date.now() - listed.atMs > freshMs)
      listed = { atMs: Date.now(), files: list(cwd, walk) };
    const files = await listed.files;
    if (query === "") return files.slice(0, 50);
    const found = fuzzysort.go(query, files, { limit: 50, threshold: leastScore });
    return found.map(({ target }) => target);
  };
}

async function list(
  cwd: string,
  walk: (signal: AbortSignal) => AsyncIterable<string>,
): Promise<string[]> {
  const files: string[] = [];
  const stop = new AbortController();
  for await (const path of walk(stop.signal)) {
    files.push(relative(cwd, path));
    if (files.length >= mostFiles) stop.abort();
  }
  return files;
}
