/** A look while somebody writes. */

import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { scan, type Tree } from "../../src/snapshots/scan.ts";
import { removeWorkspaces, testWorkspace } from "./workspace.ts";

afterAll(removeWorkspaces);

test("a file that goes during a look is gone, once", async () => {
  const at = testWorkspace();
  const tree: Tree = new Map();
  const saved: string[] = [];
  const look = async (onSave: (text: string) => void = () => undefined) => {
    const options = { roots: [at.root], skipped: [] };
    const { changes } = await scan(tree, options, async (bytes) => {
      const text = Buffer.from(bytes).toString();
      saved.push(text);
      onSave(text);
    });
    return changes.map(({ path, after }): [string, boolean] => [
      path.slice(at.root.length + 1),
      after === null,
    ]);
  };
  at.put("a", "a");
  at.put("b", "b");
  await look();
  at.put("a", "new a");
  at.put("b", "new b");
  // The first that is found removes the other.
  const found = await look((text) => rmSync(at.path(text === "new a" ? "b" : "a")));
  const [kept, gone] = saved.at(-1) === "new a" ? (["a", "b"] as const) : (["b", "a"] as const);
  expect(saved).toHaveLength(3);
  expect(Object.fromEntries(found)).toEqual({ [kept]: false, [gone]: true });
  expect(await look()).toEqual([]);
});
