import type { ToolInput } from "../../protocol/block.ts";
import type { EntryId, FileStamp } from "../../protocol/entry.ts";
import { stampsOfCall } from "../foreign-calls.ts";

/** A call without its input, which may be large and is in the log. */
type CallName = {
  id: string;
  name: string;
  /** The files that its result reads or writes; null once the result is there. */
  stamps: FileStamp[] | null;
  /** The latest result. */
  result: EntryId | null;
};

/**
 * Ids of calls. The API accepts letters, digits, `_` and `-`, and each id once; the files of other
 * agents contain ids of other services and repeated ids.
 */
export class CallIds {
  readonly #latest = new Map<string, CallName>();
  /** Ids that were made up here; all others are keys of `#latest`. */
  readonly #given = new Set<string>();
  /** Uses per id, so that a file that repeats one id a million times is still read quickly. */
  readonly #wanted = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** Opens a call; from now on, a result with this id belongs to it. */
  open(original: string, tool: string, input: ToolInput): CallName {
    const name = this.#nameOf(tool);
    const id = this.#free(spell(original, "call"));
    const call = { id, name, stamps: stampsOfCall({ name, input }), result: null };
    if (id !== original) this.#given.add(id);
    this.#latest.set(original, call);
    return call;
  }

  /** The latest call with that id, if any. */
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

  /** Shares one string per tool name among many calls. */
  #nameOf(tool: string): string {
    const name = spell(tool, "unknown");
    const known = this.#names.get(name);
    if (known === undefined && this.#names.size < 1_000) this.#names.set(name, name);
    return known ?? name;
  }
}

/** Only characters that the API accepts. */
function spell(text: string, otherwise: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(text) && !/^_+$/.test(text)) return text;
  const spelled = text.slice(0, 64).replace(/[^A-Za-z0-9_-]/g, "_");
  return /^_*$/.test(spelled) ? otherwise : spelled;
}
