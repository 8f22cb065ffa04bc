import { open, type FileHandle } from "node:fs/promises";
import type { Entry, EntryId } from "../protocol/entry.ts";
import { errorCode } from "../base/guards.ts";
import type { Progress } from "../base/progress.ts";
import { LogError, reasonOf } from "./log-error.ts";
import { parseLine } from "./parse.ts";
import {
  isBusy,
  openCache,
  removeCache,
  type CachePosition,
  type SearchCache,
  type IndexStep,
} from "./search-cache.ts";
import { stepsFrom } from "./search-steps.ts";
import { matchOf, piecesOf, snippetOf, wholeText, wordsOf } from "./searchable.ts";

/** `progress` counts bytes of the log. */
export type Following = { signal?: AbortSignal | undefined; progress?: Progress | undefined };

export type Hit = {
  entry: EntryId;
  type: Entry["type"];
  /** When it was logged, ISO 8601. */
  at: string;
  /** The entry itself; a large result has its preview. */
  source: Entry;
  /** The words in context, on one line. */
  snippet: string;
  /** Higher is better; comparable within one search only. */
  score: number;
};

/** Milliseconds of work before yielding to the event loop. */
const sliceMs = 6;

/** Characters per transaction: about one slice of work. */
const batchChars = 32 * 1024;

/** Milliseconds to wait while another process writes the same index. */
const busyMs = 20;

/**
 * Full-text search over a log, which another process may be writing. The index file is a cache: it
 * is updated from the log, and rebuilt when it is missing, damaged or of another log. Where it cannot
 * be stored on disk it is kept in memory.
 */
export class SearchIndex {
  readonly #file: string;
  readonly #resultsFolder: string | null;
  #cache: SearchCache | null = null;
  #following: Promise<void> | null = null;
  #closed = false;

  /** `resultsFolder` has the full text of large results, which is then searched, too. */
  constructor(logFile: string, resultsFolder: string | null = null) {
    this.#file = logFile;
    this.#resultsFolder = resultsFolder;
  }

  /**
   * Indexes new entries, in slices of a few milliseconds. Resolves when all are indexed or the signal
   * aborts. Throws `LogError` when the log cannot be read. Calls at the same time share the work, and
   * the options of the first.
   */
  follow(options: Following = {}): Promise<void> {
    this.#following ??= this.#guarded(() => this.#follow(options)).finally(() => {
      this.#following = null;
    });
    return this.#following;
  }

  /** Entries with all words of the query, or else with some of them; best first. */
  async search(query: string, limit = 20): Promise<Hit[]> {
    const words = wordsOf(query);
    if (words.length === 0 || limit < 1) return [];
    return this.#guarded(async () => {
      const cache = await this.#open();
      // Several pieces may belong to one entry.
      const all = cache.find(matchOf(words, "AND"), limit * 4);
      const places = all.length > 0 ? all : cache.find(matchOf(words, "OR"), limit * 4);
      return this.#hitsAt(places, words, limit);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#following?.catch(() => undefined);
    this.#cache?.close();
  }

  /** When the index fails it is deleted and rebuilt, and the work is retried once. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof LogError || this.#closed) throw error;
      this.#cache?.close();
      this.#cache = null;
      removeCache(this.#file);
      await this.#follow();
      return work();
    }
  }

  async #open(): Promise<SearchCache> {
    if (this.#closed) throw new LogError(`The search index of ${this.#file} is closed.`);
    if (this.#cache) return this.#cache;
    const stamp = await this.#read(async (handle) => {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(512), 0, 512, 0);
      const line = buffer.toString("utf8", 0, bytesRead).split("\n", 1)[0] ?? "";
      return new Bun.CryptoHasher("sha256").update(line).digest("hex");
    });
    this.#cache = openCache(this.#file, stamp);
    return this.#cache;
  }

  async #follow({ signal, progress }: Following = {}): Promise<void> {
    const cache = await this.#open();
    const stopped = () => signal?.aborted === true || this.#closed;
    await this.#read(async (handle) => {
      const { size } = await handle.stat();
      if (size < cache.mark.bytes) throw new Error("the log is shorter than its index");
      while (!stopped()) {
        const steps = await stepsFrom(handle, cache.mark, this.#resultsFolder);
        if (steps.length === 0) return;
        progress?.(cache.mark.bytes, size, "");
        await this.#take(cache, steps, stopped);
      }
    });
  }

  /** Indexes steps until stopped, or until another process has indexed them. */
  async #take(cache: SearchCache, steps: IndexStep[], stopped: () => boolean): Promise<void> {
    let mark = cache.mark;
    let began = performance.now();
    for (const batch of batches(steps)) {
      try {
        if (stopped() || !cache.advance(mark, batch)) return;
      } catch (error) {
        if (!isBusy(error)) throw error;
        return Bun.sleep(busyMs);
      }
      mark = batch.at(-1)?.next ?? mark;
      if (performance.now() - began < sliceMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    }
  }

  async #hitsAt(places: readonly CachePosition[], words: string[], limit: number): Promise<Hit[]> {
    const hits = new Map<EntryId, Hit>();
    await this.#read(async (handle) => {
      for (const { at, bytes, piece, score } of places) {
        if (hits.size === limit) break;
        const { buffer } = await handle.read(Buffer.alloc(bytes), 0, bytes, at);
        const { entry } = parseLine(buffer.toString("utf8"));
        if (entry === null) throw new Error("the index does not fit the log");
        if (hits.has(entry.id)) continue;
        const text = piecesOf(await wholeText(entry, this.#resultsFolder))[piece] ?? "";
        const { id, type, at: time } = entry;
        const snippet = snippetOf(text, words);
        hits.set(id, { entry: id, type, at: time, source: entry, snippet, score });
      }
    });
    return [...hits.values()];
  }

  async #read<T>(work: (handle: FileHandle) => Promise<T>): Promise<T> {
    await using handle = await open(this.#file, "r").catch((error: unknown) => {
      const why = errorCode(error) === "ENOENT" ? "it has no entries yet" : reasonOf(error);
      throw new LogError(`${this.#file} cannot be searched: ${why}.`, { cause: error });
    });
    return await work(handle);
  }
}

function* batches(steps: readonly IndexStep[]): Generator<IndexStep[]> {
  let batch: IndexStep[] = [];
  let chars = 0;
  for (const step of steps) {
    batch.push(step);
    chars += step.text?.length ?? 0;
    if (chars < batchChars) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}
