/** The system's sandboxing program, if it works here. */

import { existsSync } from "node:fs";
import { bubblewrapArguments, ownNamespaces } from "./bubblewrap.ts";
import type { Profile } from "./profile.ts";

export type Confiner = {
  program: string;
  argumentsFor(profile: Profile): string[];
  /** A command has its own /tmp and network, and all its processes end with it. */
  hasNamespaces: boolean;
};

/** Null where commands cannot be confined. */
export async function findConfiner(): Promise<Confiner | null> {
  return process.platform === "linux" ? findBubblewrap() : null;
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
