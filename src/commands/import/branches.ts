/** Puts a tree of messages into the order of an append-only log. */

/** The index of a node's parent, -1 for none. May be wrong, even cyclic. */
type ParentOf = (node: number) => number;

/** Consecutive nodes; `fork` is the parent of the first, or -1. */
export type Branch = { fork: number; nodes: Int32Array };

/**
 * Every branch, from where it forks from an earlier one, in the order of their tips. The one with
 * `main` comes last and so becomes the log's head. Each node occurs once. Can be iterated only once:
 * a branch is made when it is reached, since there may be hundreds of thousands.
 */
export class Branches {
  readonly #parents: Int32Array;
  /** How many branches still have to begin at each node; -1: it has no child. */
  readonly #toCome: Int32Array;
  /** The end of the main branch. */
  readonly #last: number;

  constructor(count: number, parentOf: ParentOf, main: number) {
    // Used three times: such an array may take a megabyte.
    const scratch = new Int32Array(count);
    this.#parents = withoutCycles(count, parentOf, scratch);
    this.#last = descend(this.#parents, main, scratch);
    // From -1, because the first child continues the branch of its parent.
    this.#toCome = scratch.fill(-1);
    for (const parent of this.#parents) if (parent >= 0) this.#count(parent, 1);
  }

  /** A branch that was not visited yet begins at the node. */
  isFork = (node: number): boolean => (this.#toCome[node] ?? -1) > 0;

  *[Symbol.iterator](): Generator<Branch> {
    const taken = new Uint8Array(this.#parents.length);
    for (const tip of this.#tips()) {
      let length = 0;
      let fork = tip;
      for (; fork >= 0 && taken[fork] === 0; fork = this.#parents[fork] ?? -1) {
        taken[fork] = 1;
        length++;
      }
      const nodes = new Int32Array(length);
      for (let at = tip; length > 0; at = this.#parents[at] ?? -1) nodes[--length] = at;
      if (fork >= 0) this.#count(fork, -1);
      yield { fork, nodes };
    }
  }

  *#tips(): Generator<number> {
    for (let node = 0; node < this.#parents.length; node++)
      if (this.#toCome[node] === -1 && node !== this.#last) yield node;
    if (this.#last >= 0) yield this.#last;
  }

  #count(node: number, change: number): void {
    this.#toCome[node] = (this.#toCome[node] ?? 0) + change;
  }
}

/** The parents, without the last link of every cycle. */
function withoutCycles(count: number, parentOf: ParentOf, scratch: Int32Array): Int32Array {
  const parents = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    const parent = parentOf(at);
    parents[at] = parent >= 0 && parent < count ? parent : -1;
  }
  /** For each node, the start of the walk that reached it first. */
  const seenIn = scratch.fill(-1);
  for (let start = 0; start < count; start++) {
    let at = start;
    while (at >= 0 && seenIn[at] === -1) {
      seenIn[at] = start;
      const parent = parents[at] ?? -1;
      if (parent >= 0 && seenIn[parent] === start) parents[at] = -1;
      at = parents[at] ?? -1;
    }
  }
  return parents;
}

/** From a node down to a tip, always by the latest child. */
function descend(parents: Int32Array, from: number, scratch: Int32Array): number {
  const latestChild = scratch.fill(-1);
  for (let at = 0; at < parents.length; at++) {
    const parent = parents[at] ?? -1;
    if (parent >= 0) latestChild[parent] = at;
  }
  let tip = from;
  for (let next = from; next >= 0; next = latestChild[next] ?? -1) tip = next;
  return tip;
}
