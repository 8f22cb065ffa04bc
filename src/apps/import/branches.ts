/** Puts a tree of messages into the order of an append-only log. */

/** The index of a node's parent, -1 for none. May be wrong, even cyclic. */
type ParentOf = (node: number) => number;

/** Consecutive nodes; `fork` is the parent of the first, or -1. */
type Branch = { fork: number; nodes: number[] };

/**
 * Every branch, from where it parts from earlier ones, in the order of their tips. The one with
 * `main` comes last and so becomes the log's head. Each node occurs once.
 */
export function branchesOf(count: number, parentOf: ParentOf, main: number): Branch[] {
  const parents = withoutCycles(count, parentOf);
  const tip = descend(parents, main);
  const hasChild = new Uint8Array(count);
  for (const parent of parents) if (parent >= 0) hasChild[parent] = 1;
  const tips: number[] = [];
  for (let at = 0; at < count; at++) if (hasChild[at] === 0 && at !== tip) tips.push(at);
  if (tip >= 0) tips.push(tip);
  const taken = new Uint8Array(count);
  return tips.map((end) => {
    const way: number[] = [];
    let at = end;
    for (; at >= 0 && taken[at] === 0; at = parents[at] ?? -1) {
      taken[at] = 1;
      way.push(at);
    }
    return { fork: at, nodes: way.reverse() };
  });
}

/** The parents, without the last link of every cycle. */
function withoutCycles(count: number, parentOf: ParentOf): Int32Array {
  const parents = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    const parent = parentOf(at);
    parents[at] = parent >= 0 && parent < count ? parent : -1;
  }
  /** The walk that reached a node first. */
  const seenIn = new Int32Array(count).fill(-1);
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
function descend(parents: Int32Array, from: number): number {
  const latestChild = new Int32Array(parents.length).fill(-1);
  for (let at = 0; at < parents.length; at++) {
    const parent = parents[at] ?? -1;
    if (parent >= 0) latestChild[parent] = at;
  }
  let tip = from;
  for (let next = from; next >= 0; next = latestChild[next] ?? -1) tip = next;
  return tip;
}
