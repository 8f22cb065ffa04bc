import type { ToolInput } from "../../protocol/block.ts";
import { Column } from "../../protocol/column.ts";
import { numberOf } from "../../protocol/by-entry.ts";
import type { EntryId, FileStamp } from "../../protocol/entry.ts";
import { stampsOfCall } from "../foreign-calls.ts";
import { NameTable } from "./name-table.ts";

/** A call without its input, which may be large and is in the log. */
type KnownCall = {
  id: string;
  name: string;
  /** The files that the call reads or writes; empty once its result has arrived. */
  stamps: FileStamp[];
  /** The latest result. */
  result: EntryId | null;
};

/**
 * Gives every imported call an id that the API accepts: letters, digits, `_` and `-`, and each id
 * once. The files of other agents contain ids of other services, and the same id more than once.
 */
export class CallIds {
  /** The latest call of each id in the file. */
  readonly #latest = new NameTable();
  /** The tool of each call. */
  readonly #tools: string[] = [];
  /** The entry of each call's latest result, by its number in this import; 0: none. */
  readonly #results = new Column(Uint32Array);
  /** Stamps of calls without a result. */
  readonly #stamps = new Map<number, FileStamp[]>();
  /** The ids that were changed, by call; all others are those in the file. */
  readonly #made = new Map<number, string>();
  readonly #given = new Set<string>();
  /** Uses per id, so that a file that repeats one id a million times is still read quickly. */
  readonly #wanted = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** Opens a call; from now on, a result with this id belongs to it. */
  open(original: string, tool: string, input: ToolInput): KnownCall {
    const name = this.#nameOf(tool);
    const id = this.#free(spell(original, "call"));
    const stamps = stampsOfCall({ name, input });
    const call = this.#tools.push(name) - 1;
    if (stamps.length > 0) this.#stamps.set(call, stamps);
    if (id !== original) {
      this.#made.set(call, id);
      this.#given.add(id);
    }
    this.#latest.set(original, call);
    return { id, name, stamps, result: null };
  }

  /** The latest call with that id, if any. */
  find(original: string): KnownCall | undefined {
    const call = this.#latest.get(original);
    if (call === undefined) return undefined;
    return {
      id: this.#made.get(call) ?? original,
      name: this.#tools[call] ?? "",
      stamps: this.#stamps.get(call) ?? [],
      result: this.#results.get(call) === 0 ? null : `e${this.#results.get(call)}`,
    };
  }

  /** Notes the result of the latest call with that id, if any. */
  close(original: string, result: EntryId): void {
    const call = this.#latest.get(original);
    if (call === undefined) return;
    this.#results.set(call, numberOf(result));
    this.#stamps.delete(call);
  }

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
