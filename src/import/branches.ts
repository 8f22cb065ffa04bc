/** The order in which a tree of messages is told, as a log that was appended to would hold it. */

/** `parent`: index of another node, -1 for none. Whatever it points to, cycles too, is taken. */
export type TreeNode = { parent: number };

/** Nodes one behind the other; `fork` is the node that the first of them follows, -1: none. */
export type Branch = { fork: number; nodes: number[] };

/**
 * Every branch from where it parts from those before it, in the order of their tips, and last the
 * one that holds `main`, which so becomes the log's head. Each node is told once.
 */
export function branchesOf(nodes: readonly TreeNode[], main: number): Branch[] {
  const parents = withoutCycles(nodes);
  const tip = descend(parents, main);
  const hasChild = new Uint8Array(nodes.length);
  for (const parent of parents) if (parent >= 0) hasChild[parent] = 1;
  const tips: number[] = [];
  for (let at = 0; at < nodes.length; at++) if (hasChild[at] === 0 && at !== tip) tips.push(at);
  if (tip >= 0) tips.push(tip);
  const told = new Uint8Array(nodes.length);
  return tips.map((end) => {
    const way: number[] = [];
    let at = end;
    for (; at >= 0 && told[at] === 0; at = parents[at] ?? -1) {
      told[at] = 1;
      way.push(at);
    }
    return { fork: at, nodes: way.reverse() };
  });
}

/** Parents; where following them would come back, the last link is cut. */
function withoutCycles(nodes: readonly TreeNode[]): Int32Array {
  const parents = Int32Array.from(nodes, ({ parent }) =>
    Number.isInteger(parent) && parent >= 0 && parent < nodes.length ? parent : -1,
  );
  /** The walk that came by a node first. */
  const seenIn = new Int32Array(nodes.length).fill(-1);
  for (let start = 0; start < nodes.length; start++) {
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

/** From a node down to a tip, by the latest child each time. */
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
