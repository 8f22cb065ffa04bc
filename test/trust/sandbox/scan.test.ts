/**
 * The workspace is scanned for what the sandbox hides and fixes before every command: no change may
 * be missed.
 */

import { afterAll, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import {
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../tools/room.ts";
import { sandboxHere } from "../sandbox-here.ts";
import { leaveSandboxes, sandboxOf } from "./open.ts";

afterAll(async () => {
  setSystemTime();
  await leaveSandboxes();
});

let root: string;
let judged: string[];
let look: () => Promise<string[]>;

/** Looks for secrets, links to them included, and effects: relative to the workspace. */
async function looker(maxEntries?: number): Promise<() => Promise<string[]>> {
  const hiddenFilter = (folder: string) => (name: string) => {
    judged.push(folder + name);
    return /\.env|\.pem|rc$/.test(name);
  };
  const more = maxEntries === undefined ? {} : { maxEntries };
  const { confine } = await sandboxOf(root, join(root, "../home"), { hiddenFilter, ...more });
  return async () => {
    const { before, hidden } = await confine({ write: true });
    const fixed = before.filter((_, at) => before[at - 1] === "--ro-bind-try");
    return [...new Set([...hidden, ...fixed])]
      .filter((path) => path.startsWith(root))
      .map((path) => path.slice(root.length + 1))
      .toSorted();
  };
}

beforeEach(async () => {
  const top = temporaryFolder();
  root = join(top, "workspace");
  for (const name of ["workspace", "home"]) mkdirSync(join(top, name));
  judged = [];
  // To the scanner, all files settled long ago, so only change times can reveal a change.
  setSystemTime(new Date(Date.now() + 60_000));
  if (sandboxHere) look = await looker();
});

/** Waits until the file system's clock has advanced; many have steps of some milliseconds. */
async function nextTick(): Promise<void> {
  const probe = join(temporaryFolder(), "probe");
  const since = statSync(join(root, "sub")).ctimeMs;
  do writeFileSync(probe, await Promise.resolve(""));
  while (statSync(probe).ctimeMs <= since);
}

function put(path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), "");
}

describe.skipIf(!sandboxHere)("each look", () => {
  test("secrets, links to them and files with effects are found, at any depth", async () => {
    for (const path of [
      "a.txt",
      "sub/.env",
      "sub/deep/server.pem",
      ".vscode/tasks.json",
      ".git",
      "hook.sh",
    ])
      put(path);
    symlinkSync("a.txt", join(root, ".env.local"));
    mkdirSync(join(root, ".husky"));
    symlinkSync("../hook.sh", join(root, ".husky/pre-commit"));
    symlinkSync(".", join(root, ".vim"));
    symlinkSync("/etc/passwd", join(root, ".netrc"));
    symlinkSync("nowhere", join(root, ".npmrc"));
    expect(await look()).toEqual([
      ".git",
      ".husky",
      ".vscode",
      "a.txt",
      "hook.sh",
      "sub/.env",
      "sub/deep/server.pem",
    ]);
  });

  test("files directly in node_modules and in git's objects are skipped", async () => {
    for (const path of ["node_modules/a/.env", ".git/objects/.env", ".git/hooks/x", ".git/config"])
      put(path);
    expect(await look()).toEqual([".git/config", ".git/hooks"]);
  });

  test("a workspace with too many entries is not looked at in part", async () => {
    for (const path of ["a.txt", "b.txt", "sub/.env"]) put(path);
    // The workspace holds three; only then is `sub` scanned.
    expect(await (await looker(4))()).toEqual(["sub/.env"]);
    await expect((await looker(3))()).rejects.toThrow("too many files");
  });

  describe("a second look", () => {
    const changes: Record<string, () => void> = {
      "a new secret": () => put("sub/.env"),
      "a renamed file": () => renameSync(join(root, "sub/a.txt"), join(root, "sub/.env")),
      "a folder moved here": () => {
        const other = temporaryFolder();
        writeFileSync(join(other, ".env"), "");
        renameSync(other, join(root, "sub/moved"));
      },
      "a folder in place of another": () => {
        rmSync(join(root, "sub"), { recursive: true });
        put("sub/.env");
      },
      "a secret whose folder got its old time back": () => {
        put("sub/.env");
        utimesSync(join(root, "sub"), 1, 1);
      },
      "a removed secret": () => rmSync(join(root, "sub/.env.old")),
    };

    test.each(Object.entries(changes))("sees %s at once", async (_, change) => {
      put("sub/a.txt");
      put("sub/.env.old");
      utimesSync(join(root, "sub"), 1, 1);
      const before = await look();
      await nextTick();
      change();
      const after = await look();
      expect(after).not.toEqual(before);
      expect(after).toEqual(await (await looker())());
    });

    test("does not judge unchanged files again", async () => {
      for (const path of ["sub/a.txt", "sub/deep/.env"]) put(path);
      const first = await look();
      const count = judged.length;
      expect(await look()).toEqual(first);
      expect(judged.length).toBe(count);
    });

    test("rereads folders that have just changed: the next change could have the same time", async () => {
      put("sub/a.txt");
      setSystemTime();
      await look();
      const count = judged.length;
      await look();
      expect(judged.length).toBe(2 * count);
    });
  });
});
