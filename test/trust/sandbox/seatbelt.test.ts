/** The macOS profile, evaluated as the kernel does: the last matching rule decides. */

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Profile } from "../../../src/trust/sandbox/profile.ts";
import { seatbeltArguments, seatbeltProfile } from "../../../src/trust/sandbox/confiner.ts";
import { leave, temporaryFolder } from "../../tools/room.ts";

afterAll(leave);

type Expression = string | Expression[];

/** Throws when the text is not a list of balanced expressions. */
function parse(text: string): Expression[] {
  const tokens = text.match(/"(?:[^"\\]|\\[\s\S])*"|[()]|[^\s()"]+/g) ?? [];
  const open: Expression[][] = [[]];
  for (const token of tokens) {
    if (token === "(") open.push([]);
    else if (token === ")") {
      const done = open.pop();
      if (!done || open.length === 0) throw new Error("unbalanced");
      open.at(-1)?.push(done);
    } else open.at(-1)?.push(token);
  }
  if (open.length !== 1) throw new Error("unbalanced");
  return open[0] ?? [];
}

const unquoted = (text: string): string => text.slice(1, -1).replace(/\\([\s\S])/g, "$1");

/** Whether the profile allows it. Only rules about paths, or about everything, are understood. */
function allows(profile: Profile, does: string, path: string): boolean {
  let isAllowed = false;
  for (const rule of parse(seatbeltProfile(profile))) {
    const [action, ...rest] = rule;
    const covers = rest.some(
      (one) =>
        typeof one === "string" &&
        (one === "default" ||
          one === does ||
          (one.endsWith("*") && does.startsWith(one.slice(0, -1)))),
    );
    const filters = rest.filter((one) => typeof one !== "string");
    const matches = filters.some(([kind, quoted]) => {
      const of = typeof quoted === "string" ? unquoted(quoted) : "";
      return kind === "literal"
        ? of === path
        : kind === "subpath" && `${path}/`.startsWith(`${of}/`);
    });
    if (covers && (filters.length === 0 || matches)) isAllowed = action === "allow";
  }
  return isAllowed;
}

const home = temporaryFolder();
for (const folder of [".npm/_npx", ".cargo/registry", ".cargo/bin", ".ssh", ".config/gh"])
  mkdirSync(join(home, folder), { recursive: true });
const root = join(home, "project");

const profile = (more: Partial<Profile> = {}): Profile => ({
  kind: "workspace-write",
  roots: [root],
  home,
  results: [join(home, ".mini-claude/tool-results/1.txt")],
  cwdFile: join(home, ".mini-claude/tool-results/1.cwd"),
  cwd: root,
  temporary: "/private/var/folders/x/T/mini-claude-1/tmp",
  ownHome: "/private/var/folders/x/T/mini-claude-1/home",
  noGit: "",
  joined: false,
  layered: false,
  hidden: [],
  sealed: "",
  sockets: [],
  kept: [join(root, ".git")],
  fixed: [join(root, ".git/hooks"), join(root, "sub/.vscode")],
  open: [],
  caches: join(home, ".mini-claude/caches/x"),
  downloads: false,
  network: "off",
  writable: [],
  programs: [join(home, ".cargo"), join(home, ".config")],
  ...more,
});

const look = profile({
  kind: "read-only",
  hidden: [join(root, ".env"), join(root, "keys")],
  programs: [],
});

const can = (one: Profile, does: "read" | "write" | "move", path: string): boolean =>
  allows(
    one,
    { read: "file-read-data", write: "file-write-create", move: "file-write-unlink" }[does],
    path,
  );

test("a command reads kept results and writes where it ended, though both are in the home", () => {
  for (const one of [look, profile()]) {
    const [result = "", ended = ""] = [one.results[0], one.cwdFile];
    expect([can(one, "read", result), can(one, "write", result)]).toEqual([true, false]);
    expect([can(one, "read", ended), can(one, "write", ended)]).toEqual([true, true]);
    expect(can(one, "read", join(home, ".mini-claude/tool-results/2.txt"))).toBe(false);
  }
});

describe("a command that looks", () => {
  test("reads the workspace and the system, but no secret and not the home", () => {
    for (const path of ["a.txt", "sub/b.txt", ".git/config"])
      expect(can(look, "read", join(root, path))).toBe(true);
    for (const path of ["/usr/lib/x", "/bin/ls", "/System/x", "/private/etc/passwd"])
      expect(can(look, "read", path)).toBe(true);
    for (const path of [".env", "keys", "keys/a"])
      expect(can(look, "read", join(root, path))).toBe(false);
    for (const path of [".ssh/id_rsa", ".npm/x", ".cargo/bin/x", "other"])
      expect(can(look, "read", join(home, path))).toBe(false);
    for (const path of ["/Users/you/x", "/private/tmp/x", "/Volumes/disk", "/private/var/root/x"])
      expect(can(look, "read", path)).toBe(false);
  });

  test("writes nothing", () => {
    for (const path of [
      root,
      join(root, "a.txt"),
      "/private/tmp/x",
      "/usr/x",
      join(home, ".npm/x"),
      "/dev/disk0",
    ])
      expect(can(look, "write", path)).toBe(false);
  });
});

describe("a command that works", () => {
  test("writes to the workspace, to a temporary folder and to caches", () => {
    const at = profile();
    for (const path of [
      join(root, "a.txt"),
      `${at.temporary}/x`,
      join(home, ".mini-claude/caches/x/.npm/x"),
    ])
      expect([path, can(at, "write", path)]).toEqual([path, true]);
    for (const path of [join(home, ".npm/x"), join(home, ".cargo/registry/x")])
      expect([path, can(at, "write", path), can(at, "read", path)]).toEqual([path, false, true]);
    for (const path of [
      "/usr/x",
      "/private/etc/x",
      join(home, "x"),
      join(home, ".bashrc"),
      "/private/tmp/x",
    ])
      expect([path, can(at, "write", path)]).toEqual([path, false]);
  });

  test("changes neither what runs later nor programs, nor the folders around them", () => {
    const at = profile();
    for (const path of [".git/hooks", ".git/hooks/pre-commit", "sub/.vscode/tasks.json"])
      for (const does of ["write", "move"] as const)
        expect(can(at, does, join(root, path))).toBe(false);
    for (const path of [".git", "sub", "."]) expect(can(at, "move", join(root, path))).toBe(false);
    for (const path of [".npm/_npx/x", ".cargo/bin/x", ".cargo/config.toml"])
      expect(can(at, "write", join(home, path))).toBe(false);
    expect(can(at, "move", join(root, "other"))).toBe(true);
    expect(can(at, "write", join(root, ".git/index"))).toBe(true);
  });

  test("reads the rest of the system, but not the home, nor a secret beside a program", () => {
    const at = profile();
    for (const path of [
      "/usr/x",
      "/opt/x",
      "/private/var/x",
      join(home, ".cargo/bin/x"),
      join(home, ".config/bin/x"),
    ])
      expect(can(at, "read", path)).toBe(true);
    for (const path of [".ssh/id_rsa", "x", ".config/gh/hosts.yml", ".cargo/credentials.toml"])
      expect([path, can(at, "read", join(home, path))]).toEqual([path, false]);
    expect(allows(at, "file-read-metadata", home)).toBe(true);
  });

  test("writes to what it was granted, also where that is protected otherwise", () => {
    const at = profile({ writable: [join(home, "notes"), join(root, ".git/hooks")], fixed: [] });
    expect(can(at, "write", join(home, "notes/x"))).toBe(true);
    expect(can(at, "read", join(home, "notes/x"))).toBe(true);
    expect(can(at, "write", join(home, "notesx"))).toBe(false);
    expect(can(at, "write", join(root, ".git/hooks/x"))).toBe(true);
  });

  test("has the network only when it was granted, and no sockets of other programs", () => {
    expect(seatbeltProfile(profile())).not.toContain("network");
    expect(seatbeltProfile(look)).not.toContain("network");
    const text = seatbeltProfile(profile({ network: "any" }));
    expect(text).toContain("(allow network* system-socket)");
    expect(text.indexOf("(deny network-outbound (remote unix-socket))")).toBeGreaterThan(
      text.indexOf("(allow network*"),
    );
  });
});

test.each([
  'a" (allow default) "',
  "a\\",
  'a\\"b',
  "a(b)",
  "a;b",
  "a\nb",
  "a')) (allow file-read*",
])("a folder named %j stays a name", (name) => {
  const odd = join(root, name);
  const at = profile({ roots: [odd], hidden: [join(odd, ".env")], fixed: [join(odd, name)] });
  expect(can(at, "write", join(odd, "x"))).toBe(true);
  expect(can(at, "read", join(odd, ".env"))).toBe(false);
  expect(can(at, "write", join(odd, name, "x"))).toBe(false);
  expect(can(at, "read", join(home, ".ssh/x"))).toBe(false);
  expect(seatbeltArguments(at)).toEqual(["-p", seatbeltProfile(at)]);
});

test("nothing is allowed that is not named", () => {
  for (const one of [look, profile()])
    for (const does of [
      "mach-register",
      "appleevent-send",
      "lsopen",
      "system-privilege",
      "iokit-open",
    ])
      expect(allows(one, does, "")).toBe(false);
});

test("no file is made one that runs as its owner", () => {
  const writable = [join(home, "granted")];
  for (const one of [look, profile({ writable, network: "any" })])
    for (const path of [join(root, "x"), join(home, "granted/x"), one.temporary, one.ownHome])
      expect(allows(one, "file-write-setugid", path)).toBe(false);
});
