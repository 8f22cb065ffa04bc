/** A workspace with snapshots, commands as functions, and a rewind. */

import { expect } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Checkpoints } from "../../src/log/checkpoints.ts";
import type { EntryOf } from "../../src/protocol/entry.ts";

import { openContents, previewRewind, rewindFiles } from "../../src/snapshots/rewind.ts";
import { openSnapshots, type Snapshots } from "../../src/snapshots/snapshots.ts";

/** In memory where that is possible: every content is synced. */
const place = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

const made: string[] = [];

/** For `afterAll`. */
export function removeWorkspaces(): void {
  for (const top of made.splice(0)) {
    if (process.getuid?.() !== 0) Bun.spawnSync(["chmod", "-R", "u+rwX", top]);
    rmSync(top, { recursive: true, force: true });
  }
}

export type Checkpoint = EntryOf<"checkpoint">;

export const entryOf = (files: Checkpoint["files"]): Checkpoint => ({
  id: crypto.randomUUID(),
  parent: null,
  at: "",
  type: "checkpoint",
  toolUse: "t",
  files,
});

type SnapshotOptions = Parameters<typeof openSnapshots>[0];

type CommandTraits = {
  isBackground?: boolean;
  ms?: number;
  names?: readonly string[];
};

export type Naming = NonNullable<Parameters<Snapshots["begin"]>[1]>;

/** Names paths below `root`, and what lies in them; "" is all of it. */
export const naming =
  (root: string, names: readonly string[]): Naming =>
  (path) => {
    if (names.some((name) => join(root, name) === path)) return "path";
    return names.some((name) => path.startsWith(`${join(root, name)}/`)) ? "folder" : null;
  };

export type TestWorkspace = ReturnType<typeof testWorkspace>;

export function testWorkspace() {
  const top = realpathSync(mkdtempSync(join(place, "snapshots-")));
  made.push(top);
  const root = join(top, "work");
  const own = join(top, "own");
  mkdirSync(root);
  const path = (name: string): string => join(root, name);
  const contents = openContents(own, root, new Checkpoints(join(own, "checkpoints")));
  const session = (more: Partial<SnapshotOptions> = {}): Snapshots =>
    openSnapshots({
      own,
      roots: [root],
      repository: async () => null,
      mayStillRun: async () => false,
      ...more,
    });
  async function begin(snapshots: Snapshots, names?: readonly string[]) {
    const { begun, why } = await snapshots.begin("test", names && naming(root, names));
    if (begun === null) throw new Error(why);
    return begun;
  }
  return {
    root,
    own,
    path,
    contents,
    session,
    begin,
    read: (name: string): string | null =>
      existsSync(path(name)) ? readFileSync(path(name), "utf8") : null,
    /** Runs `change` as a command that took `ms`, and whose line names `names`; the checkpoint of it. */
    async command(
      snapshots: Snapshots,
      change: () => unknown,
      { isBackground = false, ms = 0, names = [""] }: CommandTraits = {},
    ): Promise<Checkpoint> {
      const begun = await begin(snapshots, names);
      await change();
      const taken = { ...begun, startMs: Date.now() - ms };
      const { files, note } = await snapshots.finish(taken, isBackground);
      if (note !== "") throw new Error(note);
      await snapshots.logged();
      return entryOf(files);
    },
    sh(line: string): void {
      const { exitCode, stderr } = Bun.spawnSync(["bash", "-c", line], {
        cwd: root,
      });
      if (exitCode !== 0) throw new Error(`${line}: ${stderr.toString()}`);
    },
    put(name: string, text: string | Uint8Array): void {
      mkdirSync(join(path(name), ".."), { recursive: true });
      writeFileSync(path(name), text);
    },
    /** Does what its preview says. */
    async rewind(undo: Checkpoint[], redo: Checkpoint[] = [], unsure = false) {
      const before = stateOf(root);
      const steps = await previewRewind({ undo, redo, unsure });
      expect(stateOf(root)).toEqual(before);
      const show = (file: string): string => file.slice(root.length + 1);
      const done = await rewindFiles(contents, { undo, redo, unsure }, show);
      const planned = steps.flatMap((step) => (step.how === "keep" ? [] : [step.path]));
      const touched = done.files.map((file) => file.path);
      expect(planned).toEqual(expect.arrayContaining(touched));
      // It touches nothing else.
      const after = stateOf(root);
      const ways = new Set([...before.keys(), ...after.keys()]);
      // Except for parts that a killed one left.
      const isPlain = (way: string) => /^[ -~]*(?<!\.tmp)$/.test(way);
      const changed = [...ways].filter((way) => before.get(way) !== after.get(way) && isPlain(way));
      expect(touched).toEqual(expect.arrayContaining(changed.map(path)));
      return done;
    },
    state: () => stateOf(root),
    /** Commands that run belong to this process from now on: one that is gone, or that of another session. */
    passOn(pid: number, started = ""): void {
      const folder = join(own, "snapshots/running");
      for (const name of readdirSync(folder)) {
        if (!name.endsWith(".json")) continue;
        const file = join(folder, name);
        const entry: unknown = JSON.parse(readFileSync(file, "utf8"));
        writeFileSync(file, JSON.stringify({ ...Object(entry), pid, started }));
      }
    },
  };
}

/** Paths below a folder with their kinds, modes and contents, also where its owner may not read. */
export function stateOf(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const open = [Buffer.from(root)];
  const closed: { path: Buffer; mode: number }[] = [];
  const unlock = (path: Buffer, mode: number, needed: number): void => {
    if (process.getuid?.() === 0 || (mode & needed) === needed) return;
    chmodSync(path, mode | needed);
    closed.push({ path, mode });
  };
  for (const at of open)
    for (const name of readdirSync(at, { encoding: "buffer" })) {
      const path = Buffer.concat([at, Buffer.from("/"), name]);
      const stat = lstatSync(path);
      const way = path.subarray(root.length + 1).toString("latin1");
      const bits = stat.mode & 0o7777;
      const mode = bits.toString(8);
      if (stat.isDirectory()) {
        found.set(way, `folder ${mode}`);
        unlock(path, bits, 0o500);
        open.push(path);
      } else if (stat.isSymbolicLink())
        found.set(way, `link ${readlinkSync(path, { encoding: "buffer" }).toString("latin1")}`);
      else if (stat.isFile()) {
        unlock(path, bits, 0o400);
        found.set(way, `file ${mode} ${readFileSync(path, "latin1")}`);
      } else found.set(way, `other ${mode}`);
    }
  for (const { path, mode } of closed.toReversed()) chmodSync(path, mode);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
