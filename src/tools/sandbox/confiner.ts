/** The system's sandboxing program, if it works here. */

import { existsSync, realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bubblewrapArguments, ownNamespaces } from "./bubblewrap.ts";
import type { Profile } from "./profile.ts";
import { seatbeltArguments } from "./seatbelt.ts";

export type Confiner = {
  program: string;
  argumentsFor(profile: Profile): string[];
  /** A command has its own /tmp and network, and all its processes end with it. */
  hasNamespaces: boolean;
};

/** Null where commands cannot be confined. */
export async function findConfiner(): Promise<Confiner | null> {
  if (process.platform === "linux") return findBubblewrap();
  return process.platform === "darwin" ? findSeatbelt() : null;
}

/** Never one of the PATH, which may lead into the opened folder. */
export const bubblewrapPlaces = [
  "/usr/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
];

/** Containers often forbid it although the program is there. */
async function findBubblewrap(): Promise<Confiner | null> {
  const program = bubblewrapPlaces.find((path) => existsSync(path));
  if (program === undefined) return null;
  const args = [
    ...ownNamespaces({ network: true }),
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
  ];
  const isWorking = (await readOutput([program, ...args, "--", "echo", "ok"])) === "ok\n";
  return isWorking ? { program, argumentsFor: bubblewrapArguments, hasNamespaces: true } : null;
}

/** It differs between versions of macOS: both kinds are tried before they are relied on. */
async function findSeatbelt(): Promise<Confiner | null> {
  const program = "/usr/bin/sandbox-exec";
  if (!existsSync(program)) return null;
  const top = await mkdtemp(join(realpathSync(tmpdir()), "mini-claude-try-"));
  try {
    const paths = ["open", "secret", "outside/secret"].map((name) => join(top, "root", name));
    await Promise.all(paths.map((path) => Bun.write(path, "content\n")));
    const root = join(top, "root");
    const profile = { ...tried, roots: [root], cwd: root };
    const run = (more: Pick<Profile, "kind"> & Partial<Profile>, line: string) => {
      const args = seatbeltArguments({ ...profile, ...more });
      return readOutput([program, ...args, "/bin/bash", "-c", `cd ${root}; ${line}`]);
    };
    const [look, work] = await Promise.all([
      run({ kind: "read-only", hidden: [join(root, "secret")] }, "cat open secret; : > new; ls"),
      run(
        { kind: "workspace-write", fixed: [join(root, "open")] },
        ": > made; : > open; mv open moved; : > ../new; cat open; ls; ls ..; { : > /dev/tcp/127.0.0.1/1; } 2>&1 | grep -o permitted",
      ),
    ]);
    const isWorking =
      look === "content\nopen\noutside\nsecret\n" &&
      work === "content\nmade\nopen\noutside\nsecret\nroot\npermitted\n";
    return isWorking ? { program, argumentsFor: seatbeltArguments, hasNamespaces: false } : null;
  } catch {
    return null;
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}

const tried = {
  home: "/nowhere",
  results: [],
  temporary: "",
  ownHome: "",
  noGit: "",
  joined: false,
  layered: false,
  hidden: [],
  sealed: "",
  sockets: [],
  kept: [],
  fixed: [],
  open: [],
  caches: "/nowhere",
  downloads: false,
  network: "off",
  writable: [],
  programs: [],
} as const;

/** Output of the command; empty when it cannot be started. */
async function readOutput(command: readonly string[]): Promise<string> {
  try {
    const child = Bun.spawn([...command], {
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 5_000,
    });
    return await child.stdout.text();
  } catch {
    return "";
  }
}
