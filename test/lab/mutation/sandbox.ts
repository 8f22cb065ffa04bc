/** A private copy of the tree for mutants. The tree itself is never changed. */

import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutant } from "./mutants.ts";

export type Outcome = { code: number | null; output: string };

/**
 * Mutants may leave processes behind. In a separate process namespace all of them end with the
 * test; the shell is there because the first process of a namespace has no parent.
 */
const asUser = process.geteuid?.() === 0 ? [] : ["--user", "--map-current-user"];
const namespace = ["unshare", ...asUser, "--pid", "--fork", "--mount-proc", "--kill-child"];
/** Ends a mutant with this program, even if that is killed. */
const asDependent = ["setpriv", "--pdeathsig", "KILL"];
const withOwnProcesses = [...asDependent, ...namespace, "sh", "-c", '"$@"; exit $?', "sh"];
const canUnshare =
  ["setpriv", "unshare"].every((program) => Bun.which(program) !== null) &&
  Bun.spawnSync([...withOwnProcesses, "true"]).success;

export class Sandbox {
  readonly #folder = openFolder(join(tmpdir(), "mini-claude-mutant-"));
  /** The root of the copy. */
  readonly root = join(this.#folder, "tree");

  constructor(root: string) {
    const skipped = new Set(["node_modules", ".git"].map((name) => join(root, name)));
    cpSync(root, this.root, {
      recursive: true,
      filter: (path) => !skipped.has(path),
    });
    symlinkSync(join(root, "node_modules"), join(this.root, "node_modules"));
    this.#allowUnused();
  }

  /** Runs `work` with the mutant in place. */
  async with<T>({ file, start, end, text }: Mutant, work: () => Promise<T>): Promise<T> {
    const path = join(this.root, file);
    const source = readFileSync(path, "utf8");
    writeFileSync(path, source.slice(0, start) + text + source.slice(end));
    try {
      return await work();
    } finally {
      writeFileSync(path, source);
    }
  }

  /** Runs Bun in the copy, with a separate home; `code` is null when it took too long. */
  async bun(args: readonly string[], maxMs: number): Promise<Outcome> {
    const home = openFolder(join(this.#folder, "home-"));
    const child = Bun.spawn([...(canUnshare ? withOwnProcesses : []), process.execPath, ...args], {
      cwd: this.root,
      env: { ...process.env, HOME: home, TMPDIR: home },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: maxMs,
      killSignal: "SIGKILL",
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    rmSync(home, { recursive: true, force: true });
    return { code: child.exitCode, output: out + err };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Removing a call may leave an import unused; that does not make the mutant invalid. */
  #allowUnused(): void {
    const file = join(this.root, "tsconfig.json");
    const config = readFileSync(file, "utf8");
    writeFileSync(file, config.replace(/("noUnused\w+"): true/g, "$1: false"));
  }
}

/** Some tests act as another user, who needs access to their files. */
function openFolder(prefix: string): string {
  const folder = mkdtempSync(prefix);
  chmodSync(folder, 0o711);
  return folder;
}
