/** The law: a rewind touches only what the turn left, and a redo brings everything back. */

import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "../properties.ts";
import type { EntryOf } from "../../src/protocol/entry.ts";
import { removeWorkspaces, entryOf, testWorkspace } from "./workspace.ts";

afterAll(removeWorkspaces);

/** One change to the file system; what cannot be done is left out. */
type Op =
  | { do: "write"; at: string; text: string }
  | { do: "remove" | "mkdir"; at: string }
  | { do: "move"; at: string; to: string }
  | { do: "link"; at: string; to: string }
  | { do: "chmod"; at: string; mode: number };

const names = ["a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "c", "c/a", "odd\nname", ".x"];
const at = fc.constantFrom(...names);
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      at,
      text: fc.constantFrom("", "1", "2\r\n", "\u0000\u00ff", "long".repeat(50)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("remove", "mkdir"), at }) },
  fc.record({ do: fc.constant("move" as const), at, to: at }),
  fc.record({ do: fc.constant("link" as const), at, to: at }),
  fc.record({
    do: fc.constant("chmod" as const),
    at,
    mode: fc.constantFrom(0o600, 0o644, 0o755, 0o700, 0o555, 0o444),
  }),
);

/** Returns whether it was done. */
function apply(root: string, change: Op): boolean {
  const path = join(root, change.at);
  try {
    // Nobody follows links here: what they lead to is not theirs.
    for (let above = dirname(path); above.length > root.length; above = dirname(above))
      if (lstatSync(above, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
    const stat = lstatSync(path, { throwIfNoEntry: false });
    switch (change.do) {
      case "write":
        if (stat?.isSymbolicLink() || stat?.isDirectory()) return false;
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, change.text, "latin1");
        return true;
      case "remove":
        rmSync(path, { recursive: true });
        return true;
      case "mkdir":
        if (stat?.isFile()) rmSync(path);
        mkdirSync(path, { recursive: true });
        return true;
      case "move":
        renameSync(path, join(root, change.to));
        return true;
      case "link":
        symlinkSync(change.to, path);
        return true;
      case "chmod":
        if (stat === undefined || stat.isSymbolicLink()) return false;
        chmodSync(path, change.mode);
        return true;
    }
  } catch {
    return false;
  }
}

const ops = (maxLength: number) => fc.array(op, { maxLength });

const none: fc.Arbitrary<Op[]> = fc.constant([]);

/** A command, with what somebody does beside it and after it. */
const step = fc.record({
  command: ops(5),
  beside: fc.oneof({ weight: 3, arbitrary: none }, ops(2)),
  after: fc.oneof({ weight: 2, arbitrary: none }, ops(2)),
  /** Another session runs a command meanwhile. */
  other: fc.oneof({ weight: 4, arbitrary: none }, ops(2)),
  isKilled: fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
});

const runs = Number(process.env["PROPERTY_RUNS"] ?? 200);

test("a rewind restores what the turn changed, leaves the rest, and a redo undoes it", async () => {
  await fc.assert(
    fc.asyncProperty(
      ops(8),
      fc.array(step, { minLength: 1, maxLength: 3 }),
      ops(3),
      fc.boolean(),
      async (first, steps, last, unsure) => {
        const at = testWorkspace();
        const { root } = at;
        for (const change of first) apply(root, change);
        let session = at.session();
        const undo: EntryOf<"checkpoint">[] = [];
        const isClean = steps.every(
          ({ beside, after, other }) => beside.length + after.length + other.length === 0,
        );
        const start = at.state();
        for (const { command, beside, after, other, isKilled } of steps) {
          const { begun } = await session.begin("test");
          if (begun === null) throw new Error("no snapshot");
          for (const change of command) apply(root, change);
          if (other.length > 0) {
            at.passOn(process.ppid);
            const second = at.session();
            await at.command(second, () => other.forEach((change) => apply(root, change)));
            await second.close();
          }
          for (const change of beside) apply(root, change);
          if (isKilled) {
            at.passOn(2 ** 22 + 1);
            session = at.session();
            undo.push(entryOf((await session.settle()).files));
          } else undo.push(entryOf((await session.finish(begun, false)).files));
          await session.logged();
          for (const change of after) apply(root, change);
        }
        for (const change of last) apply(root, change);
        await session.close();

        // What the turn left, by path.
        const left = new Map(undo.flatMap(({ files }) => files.map((file) => [file.path, file])));
        const present = at.state();
        const { files } = await at.rewind(undo, [], unsure);
        const rewound = at.state();
        if (isClean && last.length === 0 && (unsure || steps.every(({ isKilled }) => !isKilled)))
          expect(rewound).toEqual(start);
        const touched = new Set(files.map(({ path }) => path));
        for (const way of new Set([...present.keys(), ...rewound.keys()])) {
          if (present.get(way) === rewound.get(way)) continue;
          // Only what the turn changed and left like that, and nothing unsure unless it was wanted.
          const change = left.get(join(root, way));
          // A folder that is gone by now may be made for a file that comes back.
          const isMade = !present.has(way) && rewound.get(way)?.startsWith("folder") === true;
          const isOurs = change !== undefined || isMade;
          expect([way, isOurs, touched.has(join(root, way))]).toEqual([way, true, true]);
          if (!unsure) expect([way, change?.unsure]).toEqual([way, undefined]);
        }
        // Everything that was taken away comes back.
        await at.rewind([entryOf(files)], [], true);
        expect(at.state()).toEqual(present);
        // Also from the branch that was left, if nobody changed what the turn left.
        await at.rewind(undo, [], unsure);
        await at.rewind([], undo, unsure);
        if (isClean && last.length === 0) expect(at.state()).toEqual(present);
        expect(readdirSync(root).filter((name) => name.endsWith(".tmp"))).toEqual([]);
        rmSync(dirname(root), { recursive: true, force: true });
      },
    ),
    { numRuns: runs },
  );
});
