/** Confines commands where the machine can: on Linux with bubblewrap. */

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { holds, type Workspace } from "../workspace.ts";
import { bubblewrapArguments, isHiddenFrom, namespaces } from "./bubblewrap.ts";
import { programFolders } from "./programs.ts";
import { scan, type Scan, type Wanted } from "./scan.ts";

const places = [
  "/usr/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
];

type Confinement = {
  kind: "look" | "work";
  cwd: string;
  cwdFile: string;
  network: boolean;
  /** git is run and must read its configuration, also where that holds a token. */
  git: boolean;
  /** Files that make something run later may be written. */
  effects: boolean;
  path: readonly string[];
};

export class Sandbox {
  readonly #bubblewrap: string;
  readonly #workspace: Workspace;
  readonly #roots: readonly string[];
  readonly #wanted: Wanted;
  #temporary: Promise<string> | null = null;
  #programs: Promise<string[]> | null = null;

  private constructor(bubblewrap: string, workspace: Workspace, wanted: Wanted) {
    this.#bubblewrap = bubblewrap;
    this.#workspace = workspace;
    this.#roots = [workspace.root, ...workspace.added];
    this.#wanted = wanted;
  }

  /** Null where commands cannot be confined; then nothing should be free that needs it. */
  static async open(workspace: Workspace, wanted: Wanted): Promise<Sandbox | null> {
    const bubblewrap = places.find((path) => existsSync(path));
    if (process.platform !== "linux" || bubblewrap === undefined) return null;
    // A workspace that holds the system itself cannot be told apart from it.
    const roots = [workspace.root, ...workspace.added];
    if (roots.some((root) => ["/usr", "/proc", "/dev"].some((path) => holds(root, path))))
      return null;
    return (await works(bubblewrap)) ? new Sandbox(bubblewrap, workspace, wanted) : null;
  }

  scan(): Promise<Scan> {
    return scan(this.#roots, this.#wanted);
  }

  /** What goes before a shell and its arguments. Null when too much would have to be hidden. */
  async confine(how: Confinement): Promise<string[] | null> {
    const { secrets, effects, complete } = await this.scan();
    const isShown = (path: string) => how.git && path.endsWith("/.git/config");
    const hidden = how.kind === "look" ? secrets.filter((path) => !isShown(path)) : [];
    if (how.kind === "look" && (!complete || hidden.length > mountsAtMost)) return null;
    const { root, home } = this.#workspace;
    const temporary = await this.#temporaryFolder();
    const args = bubblewrapArguments({
      kind: how.kind,
      roots: this.#roots,
      home,
      results: this.#workspace.ownResults,
      cwdFile: how.cwdFile,
      cwd: how.cwd,
      temporary: how.kind === "work" ? join(temporary, "tmp") : null,
      sealed: join(temporary, "sealed"),
      hidden: this.#roots.some((one) => holds(one, this.#wanted.folders.own))
        ? [...hidden, this.#wanted.folders.own]
        : hidden,
      fixed: how.effects ? [join(root, ".git/hooks")] : effects.slice(0, mountsAtMost),
      network: how.network,
      programs: how.kind === "work" ? await this.#programFolders(how.path) : [],
    });
    return [this.#bubblewrap, ...args];
  }

  async close(): Promise<void> {
    const temporary = await this.#temporary?.catch(() => null);
    if (temporary) await rm(temporary, { recursive: true, force: true });
  }

  /** The path does not change during a session. */
  #programFolders(path: readonly string[]): Promise<string[]> {
    const { home } = this.#workspace;
    this.#programs ??= programFolders(path, (one) => isHiddenFrom(one, home), home);
    return this.#programs;
  }

  #temporaryFolder(): Promise<string> {
    this.#temporary ??= createTemporary();
    return this.#temporary;
  }
}

/** Holds the sandbox's /tmp, and an empty file that nobody may read. */
async function createTemporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mini-claude-"));
  await mkdir(join(folder, "tmp"));
  await writeFile(join(folder, "sealed"), "", { mode: 0 });
  return folder;
}

/** A command line has room for some thousand of them. */
const mountsAtMost = 2_000;

/** Containers often forbid it although the program is there. */
async function works(bubblewrap: string): Promise<boolean> {
  const args = [...namespaces(false), "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"];
  try {
    const child = Bun.spawn([bubblewrap, ...args, "--", "true"], {
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["ignore", "ignore", "ignore"],
      timeout: 5_000,
    });
    return (await child.exited) === 0;
  } catch {
    return false;
  }
}
