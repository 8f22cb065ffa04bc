import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { findBranches, type ForeignStep } from "../../../src/commands/import/conversation.ts";

/** The branches of steps with these parents, by position. */
function tree(parents: readonly number[], main: number) {
  const steps = parents.map((): ForeignStep => ({ parent: null, events: [] }));
  for (const [at, parent] of parents.entries()) steps[at]!.parent = steps[parent] ?? null;
  const at = (step: ForeignStep | null): number => (step ? steps.indexOf(step) : -1);
  return findBranches(steps, steps[main] ?? null).map(({ fork, steps: found }) => ({
    fork: at(fork),
    nodes: found.map(at),
  }));
}

test("a branch begins where it parts, and the main one comes last", () => {
  // 0 - 1 - 2, and 1 - 3 - 4, and a separate tree: 5
  expect(tree([-1, 0, 1, 1, 3, -1], 2)).toEqual([
    { fork: -1, nodes: [0, 1, 3, 4] },
    { fork: -1, nodes: [5] },
    { fork: 1, nodes: [2] },
  ]);
  // The row that was named as the main one is not the end of its branch yet.
  expect(tree([-1, 0, 1, 0], 1).at(-1)).toEqual({ fork: 0, nodes: [1, 2] });
  expect(tree([], -1)).toEqual([]);
});

test("every node occurs once and after its parent, whatever the parents are", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -3, max: 40 }), { minLength: 1, maxLength: 40 }),
      fc.nat(),
      (parents, choice) => {
        const main = choice % parents.length;
        const branches = tree(parents, main);
        const visited = new Set<number>();
        for (const { fork, nodes } of branches) {
          expect(fork === -1 || visited.has(fork)).toBe(true);
          for (const [index, node] of nodes.entries()) {
            expect(visited.has(node)).toBe(false);
            visited.add(node);
            const before = index === 0 ? fork : nodes[index - 1];
            // Only the link that would close a cycle is not followed.
            if (before !== -1) expect(parents[node]).toBe(before ?? -2);
          }
        }
        expect(visited.size).toBe(parents.length);
        expect(branches.at(-1)?.nodes.length).toBeGreaterThan(0);
      },
    ),
  );
});
