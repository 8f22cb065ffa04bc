/** Contents of files in a private git directory. Git sees neither the workspace nor its settings: only bytes. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../base/durable.ts";
import { attempt } from "../base/guards.ts";
import { contentId, isContentId } from "../log/checkpoints.ts";

/** Fewer packs than this are not worth a repack. */
const maxPacks = 60;

const env = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  LC_ALL: "C",
};

const settings = Object.entries({
  "core.hooksPath": "/dev/null",
  "fastimport.unpackLimit": "0",
  "pack.compression": "1",
  "gc.auto": "0",
  "maintenance.auto": "false",
}).flatMap(([key, value]) => ["-c", `${key}=${value}`]);

/** Null where git is not installed. */
export const findGit = (): string | null => Bun.which("git");

/** `folder`: made by `createObjects`. */
export function openObjects(folder: string, git: string) {
  const spawn = (args: readonly string[], stdin: "pipe" | Uint8Array) =>
    Bun.spawn([git, `--git-dir=${folder}`, ...settings, ...args], {
      cwd: folder,
      env,
      stdin,
      stdout: "pipe",
      stderr: "ignore",
    });

  const ask = async (args: readonly string[], input: string): Promise<Buffer> => {
    const child = spawn(args, Buffer.from(input));
    return Buffer.from(await new Response(child.stdout).arrayBuffer());
  };

  return {
    folder,

    /** Contents that are added are durable once `finish` returns; it throws when they are not. */
    writer() {
      let child: ReturnType<typeof startImport> | null = null;
      const startImport = () =>
        Bun.spawn(
          [
            git,
            `--git-dir=${folder}`,
            ...settings,
            "fast-import",
            "--quiet",
            "--done",
            "--depth=0",
          ],
          { cwd: folder, env, stdin: "pipe", stdout: "ignore", stderr: "ignore" },
        );
      return {
        async add(bytes: Uint8Array): Promise<void> {
          child ??= startImport();
          child.stdin.write(`blob\ndata ${bytes.length}\n`);
          child.stdin.write(bytes);
          child.stdin.write("\n");
          await child.stdin.flush();
        },
        async finish(): Promise<void> {
          if (child === null) return;
          child.stdin.write("done\n");
          await child.stdin.end();
          if ((await child.exited) !== 0) throw new Error("git could not save the contents.");
        },
        abandon(): void {
          child?.kill("SIGKILL");
        },
      };
    },

    /** The contents that exist. */
    async load(names: readonly string[]): Promise<Map<string, Buffer>> {
      const ids = names.filter(isContentId);
      const found = new Map<string, Buffer>();
      if (ids.length === 0) return found;
      const output = await ask(["cat-file", "--batch"], `${ids.join("\n")}\n`);
      let at = 0;
      for (const id of ids) {
        const end = output.indexOf(10, at);
        if (end < 0) break;
        const header = /^[0-9a-f]{40} blob (\d+)$/.exec(output.toString("latin1", at, end));
        at = end + 1;
        if (!header) continue;
        const bytes = output.subarray(at, at + Number(header[1]));
        if (contentId(bytes) === id) found.set(id, bytes);
        at += bytes.length + 1;
      }
      return found;
    },

    async missing(ids: readonly string[]): Promise<string[]> {
      if (ids.length === 0) return [];
      const output = await ask(["cat-file", "--batch-check"], `${ids.join("\n")}\n`);
      const lines = output.toString("latin1").split("\n");
      return ids.filter((_, at) => !/ blob \d+$/.test(lines[at] ?? ""));
    },

    /** Each command adds a pack. */
    async repack(): Promise<void> {
      const packs = (await readdir(join(folder, "objects/pack")).catch(() => [])).length / 2;
      // Nothing is reachable: there are no refs.
      if (packs > maxPacks) await ask(["repack", "-adkl", "--quiet"], "");
    },
  };
}

const dayMs = 24 * 60 * 60_000;
const maxStoredBytes = 2 * 1024 ** 3;

/** Sets an old or large store aside, replacing the one set aside before: contents stay for 30 to 60 days. */
export function rotateObjects(folder: string, nowMs: number): void {
  const ageMs = nowMs - attempt(() => statSync(join(folder, "config")).mtimeMs, nowMs);
  const packs = join(folder, "objects/pack");
  const sizes = attempt(
    () => readdirSync(packs).map((name) => statSync(join(packs, name)).size),
    [],
  );
  const isLarge = sizes.reduce((sum, size) => sum + size, 0) > maxStoredBytes;
  if (ageMs < (isLarge ? 7 : 30) * dayMs) return;
  rmSync(`${folder}.old`, { recursive: true, force: true });
  renameSync(folder, `${folder}.old`);
}

/** Makes the git directory if it is missing. */
export function createObjects(folder: string): void {
  if (existsSync(join(folder, "HEAD"))) return;
  makeFolder(folder);
  for (const part of ["objects/pack", "objects/info", "refs"])
    mkdirSync(join(folder, part), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(folder, "config"),
    "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tlogallrefupdates = false\n",
  );
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/none\n");
}

/** Repositories with a larger index lend their objects instead of having them copied. */
const maxCopiedIndexBytes = 4 * 1024 ** 2;

/** Shares the objects of the project's repository if it is large and uses SHA-1. */
export function borrow(folder: string, repository: string): void {
  if (lends(repository))
    writeFileSync(join(folder, "objects/info/alternates"), `${join(repository, "objects")}\n`);
}

const lends = (repository: string): boolean =>
  attempt(
    () =>
      statSync(join(repository, "index")).size > maxCopiedIndexBytes &&
      !/objectformat\s*=\s*sha256/i.test(readFileSync(join(repository, "config"), "utf8")),
    false,
  );

/** Where the contents of a workspace's files are. */
export const snapshotFolder = (own: string, root: string): string =>
  join(own, "snapshots", new Bun.CryptoHasher("sha256").update(root).digest("hex").slice(0, 16));
