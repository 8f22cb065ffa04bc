/** Confines commands where the machine can: on Linux with bubblewrap, on macOS with Seatbelt. */

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gitFolders } from "../git/git-folders.ts";
import { holds, type Workspace } from "../workspace.ts";
import { isHiddenFrom } from "./bubblewrap.ts";
import { findConfiner, type Confiner } from "./confiner.ts";
import type { Gate, HostProxy } from "./network/host-proxy.ts";
import type { Profile } from "./profile.ts";
import { programFolders } from "./programs.ts";
import { Scanner, type Wanted } from "./scan.ts";

type Confinement = {
  kind: "look" | "work";
  cwd: string;
  cwdFile?: string;
  network: Profile["network"];
  /** Absolute, without symlinks; they must exist. */
  writable: readonly string[];
  /** git is run and must read its configuration, also where that holds a token. */
  git: boolean;
  /** Files that make something run later may be written. */
  effects: boolean;
  path: readonly string[];
};

export class Sandbox {
  readonly #confiner: Confiner;
  readonly #workspace: Workspace;
  /** The workspace, added folders, and the `.git` that a linked worktree belongs to. */
  readonly #roots: readonly string[];
  readonly #wanted: Wanted;
  readonly #scanner: Scanner;
  #temporary: Promise<string> | null = null;
  #programs: Promise<string[]> | null = null;
  #proxies = 0;

  private constructor(
    confiner: Confiner,
    workspace: Workspace,
    roots: readonly string[],
    wanted: Wanted,
  ) {
    this.#confiner = confiner;
    this.#workspace = workspace;
    this.#roots = roots;
    this.#wanted = wanted;
    this.#scanner = new Scanner(roots, wanted);
  }

  /** Null where commands cannot be confined; then nothing should be free that needs it. */
  static async open(workspace: Workspace, wanted: Wanted): Promise<Sandbox | null> {
    // A workspace that holds the system itself cannot be told apart from it.
    const roots = [workspace.root, ...workspace.added];
    if (
      roots.some((root) => ["/usr", "/proc", "/dev", "/System"].some((path) => holds(root, path)))
    )
      return null;
    const confiner = await findConfiner();
    if (confiner === null) return null;
    const git = await Promise.all(roots.map(gitFolders));
    // That of a linked worktree lies elsewhere, and git needs it.
    const common = git.flatMap((folders) => folders?.common ?? []);
    const elsewhere = common.filter((folder) => !roots.some((root) => holds(root, folder)));
    return new Sandbox(confiner, workspace, [...roots, ...new Set(elsewhere)], wanted);
  }

  /** A command has its own /tmp and network, and all its processes end with it. */
  get hasNamespaces(): boolean {
    return this.#confiner.hasNamespaces;
  }

  /** Where a command that works keeps what is temporary. */
  async temporaryFolder(): Promise<string> {
    return this.hasNamespaces ? "/tmp" : join(await this.#temporaryFolder(), "tmp");
  }

  /** What goes before a shell and its arguments. Null when too much would have to be hidden. */
  async confine(how: Confinement): Promise<string[] | null> {
    const { secrets, effects, complete } = await this.#scanner.scan();
    const isShown = (path: string) => how.git && path.endsWith("/.git/config");
    const hidden = how.kind === "look" ? secrets.filter((path) => !isShown(path)) : [];
    if (how.kind === "look" && (!complete || hidden.length > mountsAtMost)) return null;
    const { home } = this.#workspace;
    const temporary = await this.#temporaryFolder();
    const args = this.#confiner.argumentsFor({
      kind: how.kind,
      roots: this.#roots,
      home,
      results: this.#workspace.ownResults,
      ...(how.cwdFile === undefined ? {} : { cwdFile: how.cwdFile }),
      cwd: how.cwd,
      temporary: how.kind === "work" ? join(temporary, "tmp") : null,
      sealed: join(temporary, "sealed"),
      hidden: this.#roots.some((one) => holds(one, this.#wanted.folders.own))
        ? [...hidden, this.#wanted.folders.own]
        : hidden,
      fixed: (how.effects ? this.#hooks() : effects.slice(0, mountsAtMost)).filter(
        (path) => !how.writable.some((folder) => holds(folder, path)),
      ),
      writable: how.writable.filter((path) => !this.#roots.some((root) => holds(root, path))),
      network: how.network,
      programs: how.kind === "work" ? await this.#programFolders(how.path) : [],
    });
    return [this.#confiner.program, ...args];
  }

  /** For one command. Throws when it cannot listen. */
  async openProxy(gate: Gate): Promise<HostProxy> {
    const { openHostProxy } = await import("./network/host-proxy.ts");
    this.#proxies += 1;
    return openHostProxy(join(await this.#temporaryFolder(), `proxy-${this.#proxies}`), gate);
  }

  async close(): Promise<void> {
    const temporary = await this.#temporary?.catch(() => null);
    if (temporary) await rm(temporary, { recursive: true, force: true });
  }

  /** git itself never writes them. */
  #hooks(): string[] {
    return this.#roots
      .map((root) => join(root, basename(root) === ".git" ? "hooks" : ".git/hooks"))
      .filter((folder) => existsSync(folder));
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
  const folder = await mkdtemp(join(await realpath(tmpdir()), "mini-claude-"));
  await mkdir(join(folder, "tmp"));
  await writeFile(join(folder, "sealed"), "", { mode: 0 });
  return folder;
}

/** A command line has room for some thousand of them. */
const mountsAtMost = 2_000;
