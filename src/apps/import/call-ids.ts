import type { ToolInput } from "../../protocol/block.ts";
import type { EntryId, FileStamp } from "../../protocol/entry.ts";
import { stampsOfCall } from "../../protocol/other-agents.ts";

/** A call as the log holds it, without its input: that may be large, and is in the log. */
export type CallName = {
  id: string;
  name: string;
  /** What its result will show or write; null once the result is there. */
  stamps: FileStamp[] | null;
  /** Its latest result. */
  result: EntryId | null;
};

/**
 * Ids of calls. The API takes letters, digits, `_` and `-`, and no id twice; other agents' files
 * have ids of other services, and ids that came twice.
 */
export class CallIds {
  readonly #latest = new Map<string, CallName>();
  /** Ids that are not their call's own; all others are keys of `#latest`. */
  readonly #given = new Set<string>();
  /** How often an id was wanted: a file of one id a million times is read as fast as any. */
  readonly #wanted = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** A new call; a result with this id from now on is its result. */
  open(original: string, tool: string, input: ToolInput): CallName {
    const name = this.#nameOf(tool);
    const id = this.#free(spell(original, "call"));
    const call = { id, name, stamps: stampsOfCall({ name, input }), result: null };
    if (id !== original) this.#given.add(id);
    this.#latest.set(original, call);
    return call;
  }

  /** The latest call with that id; undefined: there was none. */
  find = (original: string): CallName | undefined => this.#latest.get(original);

  #free(wanted: string): string {
    let id = wanted;
    for (let number = this.#wanted.get(wanted) ?? 1; this.#isTaken(id);) {
      id = `${wanted.slice(0, 50)}-${++number}`;
      this.#wanted.set(wanted, number);
    }
    return id;
  }

  #isTaken = (id: string): boolean => this.#latest.has(id) || this.#given.has(id);

  /** A long session has few tools and many calls: they share the text of the name. */
  #nameOf(tool: string): string {
    const name = spell(tool, "unknown");
    const known = this.#names.get(name);
    if (known === undefined && this.#names.size < 1_000) this.#names.set(name, name);
    return known ?? name;
  }
}

/** In the letters that the API takes. */
export function spell(text: string, otherwise: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(text) && !/^_+$/.test(text)) return text;
  const spelled = text.slice(0, 64).replace(/[^A-Za-z0-9_-]/g, "_");
  return /^_*$/.test(spelled) ? otherwise : spelled;
}
