import { systemClock } from "../../base/clock.ts";
import { relative } from "node:path";

/** In a larger workspace only the first files are offered. */
const maxFiles = 50_000;
const maxOffered = 50;

/** Below the library's default of 0.5, so that leaving out letters still finds a file. */
const minScore = 0.2;

/** The list is rebuilt when it is older than this. */
const freshMs = 10_000;

type WalkFiles = (signal: AbortSignal) => AsyncIterable<string>;

/** Completes the paths that `walk` yields, relative to `cwd`, best match first. */
export function completeFiles(cwd: string, walk: WalkFiles): (query: string) => Promise<string[]> {
  let listed: { atMs: number; files: Promise<string[]> } | null = null;
  return async (query) => {
    if (!listed || systemClock.now() - listed.atMs > freshMs)
      listed = { atMs: systemClock.now(), files: list(cwd, walk) };
    const files = await listed.files;
    if (query === "") return files.slice(0, maxOffered);
    const { default: fuzzysort } = await import("fuzzysort");
    const found = fuzzysort.go(query, files, { limit: maxOffered, threshold: minScore });
    return found.map(({ target }) => target);
  };
}

async function list(cwd: string, walk: WalkFiles): Promise<string[]> {
  const files: string[] = [];
  const stop = new AbortController();
  for await (const path of walk(stop.signal)) {
    files.push(relative(cwd, path));
    if (files.length >= maxFiles) stop.abort();
  }
  return files;
}
