/**
 * The workspace is scanned for what the sandbox hides and fixes before every command: no change may
 * be missed.
 */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
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
import { makeScanner } from "../../../src/trust/sandbox/scan.ts";
import { leave, temporaryFolder } from "../../tools/room.ts";

afterAll(leave);

const folders = { home: "/h", own: "/h/.mini-claude", results: "/r" };
/** Links to them included. */
const isHidden = (name: string): boolean => /\.env|\.pem|rc$/.test(name);

let root: string;
let scan: ReturnType<typeof makeScanner>;
let judged: string[];

beforeEach(() => {
  root = temporaryFolder();
  judged = [];
  const hiddenFilter = (folder: string) => (name: string) => {
    judged.push(folder + name);
    return isHidden(name);
  };
  // To the scanner, all files settled long ago, so only change times can reveal a change.
  scan = makeScanner([root], [], { hiddenFilter, folders }, () => Date.now() + 60_000);
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

/** Secrets and effects, relative to the workspace. */
async function found(): Promise<string[]> {
  const { secrets, effects } = await scan();
  return [...new Set([...secrets, ...effects])]
    .map((path) => path.slice(root.length + 1))
    .toSorted();
}

test("secrets, links to them and files with effects are found, at any depth", async () => {
  for (const path of ["a.txt", "sub/.env", "sub/deep/server.pem", ".vscode/tasks.json", ".git"])
    put(path);
  symlinkSync("a.txt", join(root, ".env.local"));
  symlinkSync("/etc/passwd", join(root, ".netrc"));
  symlinkSync("nowhere", join(root, ".npmrc"));
  expect(await found()).toEqual([".git", ".vscode", "a.txt", "sub/.env", "sub/deep/server.pem"]);
});

test("files directly in node_modules and in git's objects are skipped", async () => {
  for (const path of ["node_modules/a/.env", ".git/objects/.env", ".git/hooks/x", ".git/config"])
    put(path);
  expect(await found()).toEqual([".git/config", ".git/hooks"]);
});

test("a workspace with too many entries is not said to be looked at completely", async () => {
  for (const path of ["a.txt", "b.txt", "sub/.env"]) put(path);
  const isComplete = async (most: number) => {
    const wanted = { hiddenFilter: () => () => false, folders };
    return (await makeScanner([root], [], wanted, Date.now, most)()).complete;
  };
  // The workspace holds three; only then is `sub` scanned.
  expect(await isComplete(3)).toBe(false);
  expect(await isComplete(4)).toBe(true);
});

describe("a second look", () => {
  const changes: Record<string, () => void> = {
    "a new secret": () => put("sub/.env"),
    "a new folder with one": () => put("sub/new/deep/.env"),
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
    "a link in place of a file": () => {
      symlinkSync("a.txt", join(root, "sub/.env.link"));
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
    const before = await found();
    await nextTick();
    change();
    const after = await found();
    expect(after).not.toEqual(before);
    const fresh = makeScanner([root], [], {
      hiddenFilter: () => isHidden,
      folders,
    });
    const { secrets } = await fresh();
    expect(after).toEqual(secrets.map((path) => path.slice(root.length + 1)).toSorted());
  });

  test("does not judge unchanged files again", async () => {
    for (const path of ["sub/a.txt", "sub/deep/.env"]) put(path);
    const first = await found();
    const count = judged.length;
    expect(await found()).toEqual(first);
    expect(judged.length).toBe(count);
  });

  test("rereads folders that have just changed: the next change could have the same time", async () => {
    put("sub/a.txt");
    const hiddenFilter = () => (name: string) => judged.push(name) < 0;
    const young = makeScanner([root], [], { hiddenFilter, folders });
    await young();
    const count = judged.length;
    await young();
    expect(judged.length).toBe(2 * count);
  });
});
