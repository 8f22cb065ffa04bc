/** Completes paths of the workspace: its files and folders, read once in the background. */

import { dirname } from "node:path/posix";
import { systemClock } from "../../base/clock.ts";
import type { FileMatches } from "../../ui/types.ts";

/** Limits on the files that are read from a workspace, and on those offered. */
const maxFiles = 100_000;
const maxOffered = 50;

/** The list is rebuilt when it is older than this. */
const freshMs = 10_000;

/** A query is answered after this time with what has been read. */
const patienceMs = 80;

type WalkFiles = (signal: AbortSignal) => AsyncIterable<string>;

/** `lower` is matched; the base name begins at `base`. */
type Candidate = { path: string; lower: string; base: number };

type Listing = { atMs: number; candidates: readonly Candidate[]; done: Promise<void> | null };

/** Best matches first, and in the order of their numbers: `a2` before `a10`. */
export function completeFiles(walk: WalkFiles): (query: string) => Promise<FileMatches> {
  let newest: Listing | null = null;
  return async (query) => {
    if (!newest || (newest.done === null && systemClock.now() - newest.atMs > freshMs))
      newest = read(walk, newest?.candidates ?? []);
    const listing = newest;
    if (listing.done) await Promise.race([listing.done, Bun.sleep(patienceMs)]);
    return { paths: bestMatches(query, listing.candidates), rest: listing.done };
  };
}

/** Reads the workspace; until then, what an earlier reading found is offered. */
function read(walk: WalkFiles, earlier: readonly Candidate[]): Listing {
  const listing: Listing = { atMs: systemClock.now(), candidates: earlier, done: null };
  const paths: string[] = [];
  const readAll = async (): Promise<void> => {
    try {
      for await (const path of walk(new AbortController().signal)) {
        paths.push(path);
        if (paths.length >= maxFiles) break;
      }
    } catch {
      // Those that were found are offered.
    }
    listing.candidates = inOrder(paths);
    listing.done = null;
  };
  listing.done = readAll();
  return listing;
}

/** The files and the folders that hold them, by name, numbers by value. */
function inOrder(files: readonly string[]): Candidate[] {
  const folders = new Set<string>();
  for (const file of files)
    for (
      let at = dirname(file);
      at !== "." && at !== "/" && !folders.has(`${at}/`);
      at = dirname(at)
    )
      folders.add(`${at}/`);
  return [...folders, ...files]
    .map((path) => ({ path, order: path.replace(/\d+/g, (number) => number.padStart(9, "0")) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ path }) => ({
      path,
      lower: path.toLowerCase(),
      base: path.lastIndexOf("/", path.length - 2) + 1,
    }));
}

/**
 * Paths that begin with the query, then names that begin with it (short ones first), names and paths
 * that contain it, and last paths that have its letters in order.
 */
function bestMatches(query: string, candidates: readonly Candidate[]): string[] {
  const wanted = query.toLowerCase();
  // Nothing is typed yet: there may be many files.
  if (wanted === "") return candidates.slice(0, maxOffered).map(({ path }) => path);
  const paths: string[] = [];
  const names: Candidate[] = [];
  const inNames: string[] = [];
  const inPaths: string[] = [];
  for (const candidate of candidates) {
    const { path, lower, base } = candidate;
    const at = lower.indexOf(wanted);
    if (at < 0) continue;
    const inName = at < base ? lower.indexOf(wanted, base) : at;
    if (at === 0) paths.push(path);
    else if (inName === base) names.push(candidate);
    else if (inName > base) inNames.push(path);
    else inPaths.push(path);
  }
  const nameLength = ({ lower, base }: Candidate): number => lower.length - base;
  names.sort((a, b) => nameLength(a) - nameLength(b));
  const found = [...paths, ...names.map(({ path }) => path), ...inNames, ...inPaths];
  if (found.length >= maxOffered) return found.slice(0, maxOffered);
  const known = new Set(found);
  const like = candidates.filter(
    ({ path, lower }) => !known.has(path) && hasLetters(lower, wanted),
  );
  return [...found, ...like.map(({ path }) => path)].slice(0, maxOffered);
}

function hasLetters(text: string, letters: string): boolean {
  let at = -1;
  for (const letter of letters) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}
