/** Whether this machine can confine commands; otherwise tests that need it are skipped. */

import { existsSync } from "node:fs";

function works(): boolean {
  const bubblewrap = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"].find((path) =>
    existsSync(path),
  );
  if (process.platform !== "linux" || bubblewrap === undefined) return false;
  const args = "--unshare-all --ro-bind / / --proc /proc --dev /dev -- true".split(" ");
  try {
    return Bun.spawnSync([bubblewrap, ...args]).exitCode === 0;
  } catch {
    return false;
  }
}

export const sandboxHere = process.env["MINI_CLAUDE_TEST_SANDBOX"] !== "off" && works();

if (!sandboxHere) {
  console.warn("Left out: tests of the sandbox. This machine has no working bubblewrap.");
}
