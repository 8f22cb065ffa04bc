/** A call as the log holds it. */
export type Call = { id: string; name: string; input: { [key: string]: unknown } };

/**
 * Ids of calls. The API takes letters, digits, `_` and `-`, and no id twice; other agents' files
 * have ids of other services, and ids that came twice.
 */
export class CallIds {
  readonly #latest = new Map<string, Call>();
  readonly #taken = new Set<string>();
  /** How often an id was wanted: a file of one id a million times is read as fast as any. */
  readonly #wanted = new Map<string, number>();

  /** A new call; a result with this id from now on is its result. */
  open(original: string, name: string, input: Call["input"]): Call {
    const call = { id: this.#free(spell(original, "call")), name: spell(name, "unknown"), input };
    this.#latest.set(original, call);
    return call;
  }

  /** The latest call with that id; undefined: there was none. */
  find = (original: string): Call | undefined => this.#latest.get(original);

  #free(wanted: string): string {
    let id = wanted;
    for (let number = this.#wanted.get(wanted) ?? 1; this.#taken.has(id);) {
      id = `${wanted.slice(0, 50)}-${++number}`;
      this.#wanted.set(wanted, number);
    }
    this.#taken.add(id);
    return id;
  }
}

/** In the letters that the API takes. */
export const spell = (text: string, otherwise: string): string =>
  text
    .slice(0, 64)
    .replace(/[^A-Za-z0-9_-]/g, "_")
    .replace(/^_+$/, "") || otherwise;
