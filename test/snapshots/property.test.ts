/** The law: a rewind touches only what the turn left itself, and a redo brings everything back. */

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
import {
  entryOf,
  naming,
  removeWorkspaces,
  testWorkspace,
  type Checkpoint,
  type Naming,
} from "./workspace.ts";

afterAll(removeWorkspaces);

const names = ["a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "c", "c/a", "odd\nname", ".x"];

/** One change to the file system; what cannot be done is left out. */
const op = fc.record({
  do: fc.constantFrom(
    "write",
    "write",
    "write",
    "write",
    "remove",
    "mkdir",
    "move",
    "link",
    "chmod",
  ),
  at: fc.constantFrom(...names),
  to: fc.constantFrom(...names),
  text: fc.constantFrom("", "1", "2\r\n", "\u0000\u00ff", "long".repeat(50)),
  mode: fc.constantFrom(0o600, 0o644, 0o755, 0o700, 0o555, 0o444),
});
type Op = typeof op extends fc.Arbitrary<infer T> ? T : never;

/** A command that ends before it began is short, however slow the machine is. */
const inFutureMs = 100_000;

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

/** Mostly nothing. */
const few = (nothing: number) =>
  fc.oneof({ weight: nothing, arbitrary: fc.constant<Op[]>([]) }, ops(2));

/** A command, with what somebody does beside it and after it. */
const step = fc.record({
  command: ops(5),
  /** Its line names the paths; otherwise it is done at once. */
  isNamed: fc.boolean(),
  beside: few(2),
  after: few(2),
  /** Another session does this meanwhile, by a command or by file tools. */
  other: few(4),
  isTool: fc.boolean(),
  isKilled: fc.constantFrom(false, false, false, false, false, true),
});

const pathsOf = ({ do: what, at, to }: Op): string[] =>
  what === "move" || what === "link" ? [at, to] : [at];

/** A line whose words are the paths of the changes, with the folders that they need. */
function namingOf(root: string, changes: readonly Op[]): Naming {
  const paths = changes.flatMap(pathsOf);
  const above = paths.flatMap((path) =>
    path.split("/").map((_, at, all) => all.slice(0, at).join("/")),
  );
  const inner = naming(root, paths);
  return (path) => (above.some((name) => join(root, name) === path) ? "path" : inner(path));
}

/** Not the same path, nor one in it: nobody could tell whose that is. */
const isApart = (change: Op, from: readonly Op[]): boolean =>
  pathsOf(change).every((path) =>
    from
      .flatMap(pathsOf)
      .every((other) => !`${path}/`.startsWith(`${other}/`) && !`${other}/`.startsWith(`${path}/`)),
  );

const runs = Number(process.env["PROPERTY_RUNS"] ?? 200);

test("a rewind restores what the turn changed, leaves the rest, and a redo undoes it", async () => {
  await fc.assert(
    fc.asyncProperty(
      ops(8),
      fc.array(step, { minLength: 1, maxLength: 3 }),
      ops(3),
      fc.boolean(),
      fc.boolean(),
      async (first, all, end, unsure, isQuiet) => {
        const nothing = { beside: [], after: [], other: [], isNamed: true, isKilled: false };
        const steps = isQuiet ? all.map((step) => ({ ...step, ...nothing })) : all;
        const last = isQuiet ? [] : end;
        const at = testWorkspace();
        const { root } = at;
        for (const change of first) apply(root, change);
        let session = at.session();
        const undo: Checkpoint[] = [];
        /** Paths that are as somebody else left them. */
        const theirs = new Set<string>();
        const act = (changes: readonly Op[], isTheirs: boolean): void => {
          const before = at.state();
          for (const change of changes) apply(root, change);
          const after = at.state();
          for (const path of new Set([...before.keys(), ...after.keys()]))
            if (before.get(path) !== after.get(path)) theirs[isTheirs ? "add" : "delete"](path);
        };
        const isClean = steps.every(
          ({ beside, after, other, isNamed }) =>
            beside.length + after.length + other.length === 0 && isNamed,
        );
        const start = at.state();
        for (const { command, isNamed, beside, after, other, isTool, isKilled } of steps) {
          const { begun } = await session.begin(
            "test",
            isNamed ? namingOf(root, command) : undefined,
          );
          if (begun === null) throw new Error("no snapshot");
          act(command, false);
          const apart = (change: Op): boolean => isNamed && isApart(change, command);
          if (other.length > 0 && isTool) {
            const second = at.session();
            const writes = other.filter((change) => change.do === "write" && apart(change));
            await second.writing(writes.map((change) => join(root, change.at)));
            act(writes, true);
            await second.close();
          } else if (other.length > 0) {
            at.passOn(process.ppid);
            const second = at.session();
            await at.command(second, () => act(other, true));
            await second.close();
          }
          const saved = beside.filter(apart);
          act(saved, true);
          if (isKilled) {
            at.passOn(2 ** 22 + 1);
            session = at.session();
            undo.push(entryOf((await session.settle()).files));
          } else {
            // Many files that are moved into the workspace at once count as the command's while it is short.
            const ms = saved.some((change) => change.do === "move") ? 60_000 : 2_000;
            const taken = { ...begun, startMs: begun.startMs + (isNamed ? -ms : inFutureMs) };
            undo.push(entryOf((await session.finish(taken, false)).files));
          }
          await session.logged();
          act(after, true);
        }
        act(last, true);
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
          if (!unsure) expect([way, present.has(way) && theirs.has(way)]).toEqual([way, false]);
        }
        // Everything that was taken away comes back.
        await at.rewind([entryOf(files)], [], true);
        expect(at.state()).toEqual(present);
        // Also from the branch that was left, if nobody changed what the turn left.
        await at.rewind(undo, [], unsure);
        await at.rewind([], undo, unsure);
        if (isClean && last.length === 0) expect(at.state()).toEqual(present);
        expect(readdirSync(root).filter((name) => name.endsWith(".tmp"))).toEqual([]);
        removeWorkspaces();
      },
    ),
    { numRuns: runs },
  );
});
