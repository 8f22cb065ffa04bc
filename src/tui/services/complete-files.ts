import { relative } from "node:path";
import fuzzysort from "fuzzysort";
import { walkFiles } from "../../tools/search/walk.ts";

/** Files that are looked at; a workspace with more is completed from the first ones. */
const mostFiles = 50_000;

/** Letters in order, with a few left out, are enough: the library's own 0.5 asks for nearly all. */
const leastScore = 0.2;

/** The list is made anew when it is older than this. */
const freshMs = 10_000;

/** Completes paths of the workspace, .gitignore honoured, best match first. */
export function completeFiles(cwd: string): (query: string) => Promise<string[]> {
  let listed: { atMs: number; files: Promise<string[]> } | null = null;
  return async (query) => {
    if (!listed || Date.now() - listed.atMs > freshMs)
      listed = { atMs: Date.now(), files: list(cwd) };
    const files = await listed.files;
    if (query === "") return files.slice(0, 50);
    const found = fuzzysort.go(query, files, { limit: 50, threshold: leastScore });
    return found.map(({ target }) => target);
  };
}

async function list(cwd: string): Promise<string[]> {
  const files: string[] = [];
  const stop = new AbortController();
  for await (const path of walkFiles(cwd, { hidden: false, signal: stop.signal })) {
    files.push(relative(cwd, path));
    if (files.length >= mostFiles) stop.abort();
  }
  return files;
}
