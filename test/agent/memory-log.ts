import type { createAgent } from "../../src/agent/agent.ts";
import type { Entry, EntryId, Fact } from "../../src/protocol/entry.ts";

type SessionLog = Parameters<typeof createAgent>[0]["log"];

/** A log without a disk: ids like those of the real log, times from a counter. */
export class MemoryLog implements SessionLog {
  readonly #now: (() => number) | undefined;
  readonly session = "memory";
  readonly file = "/memory.jsonl";
  readonly entries: Entry[] = [];
  path: Entry[] = [];

  /** The clock. By default entries are a second apart. */
  constructor(now?: () => number) {
    this.#now = now;
  }

  get head(): EntryId | null {
    return this.path.at(-1)?.id ?? null;
  }

  get(id: EntryId): Entry | undefined {
    return this.entries.find((entry) => entry.id === id);
  }

  /** What a slow or full disk does first. */
  before: ((fact: Fact) => Promise<unknown> | void) | undefined;

  async append(fact: Fact, options?: { parent: EntryId | null }): Promise<Entry> {
    if (this.before) await this.before(fact);
    const parent = options ? options.parent : this.head;
    const number = this.entries.length + 1;
    const at = new Date(this.#now?.() ?? Date.UTC(2026, 0, 1) + number * 1000).toISOString();
    const entry: Entry = { id: `e${number}`, parent, at, ...fact };
    if (parent !== this.head) {
      this.path = this.path.slice(0, this.path.findIndex((one) => one.id === parent) + 1);
    }
    this.entries.push(entry);
    this.path.push(entry);
    return entry;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
