/** The system's sandboxing program, tried as commands use it. */

import { existsSync, readFileSync } from "node:fs";
import { attempt } from "../../base/guards.ts";
import { errorMessage } from "../../base/format.ts";
import { ownNamespaces } from "./bubblewrap.ts";

/** The program, or a sentence that says why commands cannot be confined here, with a fix. */
export type Confiner = { program: string } | { why: string; fix: string };

let found: Promise<Confiner> | null = null;

export const findConfiner = (): Promise<Confiner> => (found ??= tryConfiner());

/** Fixed paths: PATH may lead into the opened folder. */
export const bubblewrapPlaces = [
  "/usr/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
];

async function tryConfiner(): Promise<Confiner> {
  if (process.platform === "darwin") return { program: "/usr/bin/sandbox-exec" };
  if (process.platform !== "linux")
    return { why: "this system has no sandbox", fix: "use Linux, macOS or WSL 2" };
  const program = bubblewrapPlaces.find((path) => existsSync(path));
  if (program === undefined)
    return { why: "bubblewrap is not installed", fix: "install bubblewrap and socat" };
  const mounts = "--die-with-parent --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp".split(" ");
  const said = await readOutput([
    program,
    ...ownNamespaces({ network: true }),
    ...mounts,
    "--",
    "echo",
    "ok",
  ]);
  return said === "ok"
    ? { program }
    : { why: `bubblewrap cannot start: ${said}`, fix: fixFor(said) };
}

/** Containers and Ubuntu restrict namespaces even where bubblewrap is installed. */
function fixFor(said: string): string {
  if (/loopback|RTM_NEWADDR/i.test(said))
    return "allow network namespaces: in Docker --cap-add NET_ADMIN, or --security-opt apparmor=unconfined";
  if (/proc/i.test(said))
    return "allow mounting /proc: in Docker --security-opt systempaths=unconfined";
  const isRestricted = readsOne("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  if (isRestricted)
    return "add an AppArmor profile for bwrap, or run: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0";
  return "allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, or in Docker --security-opt seccomp=unconfined";
}

const readsOne = (path: string): boolean =>
  attempt(() => readFileSync(path, "utf8").trim() === "1", false);

/** Output of the command, or its first error. */
async function readOutput(command: readonly string[]): Promise<string> {
  try {
    const child = Bun.spawn([...command], {
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 5_000,
    });
    const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return out.trim() || error.trim().split("\n")[0] || `exit code ${await child.exited}`;
  } catch (error) {
    return errorMessage(error);
  }
}
