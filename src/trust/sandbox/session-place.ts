/**
 * Resources that the commands of one session share: a temporary folder, an empty home, and on Linux process ids
 * and a loopback network, so that a server started by one command answers the next.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { attempt } from "../../base/guards.ts";
import { makeTemporary } from "../../base/own-temporary.ts";
import { textOfRegular } from "../../base/regular-file.ts";
import { markVariable, readProcess } from "../../tools/shell/process-group.ts";
import { ownNamespaces } from "./bubblewrap.ts";
import { callFilter } from "./call-filter.ts";

export type SessionPlace = ReturnType<typeof openPlace>;

/** `bubblewrap`: path of the program. */
export function openPlace(bubblewrap: string) {
  let made: ReturnType<typeof createFolders> | null = null;
  let namespaces: Promise<Namespaces | null> | null = null;
  let held: Namespaces | null = null;
  let reported = new Set<string>();

  const folders = () => (made ??= createFolders());

  return {
    folders,

    /**
     * The words before bubblewrap with which a command joins the namespaces of the session. Null where
     * that is impossible: then each command gets its own. `processes`: it sees those of the session, too.
     */
    async enter(joins: Joined): Promise<string[] | null> {
      namespaces ??= holdNamespaces(bubblewrap);
      if ((await namespaces)?.hasEnded()) namespaces = holdNamespaces(bubblewrap);
      held = await namespaces;
      return held?.enter(joins) ?? null;
    },

    /** Processes that commands left running in the shared namespaces. */
    orphans: (): number[] => held?.orphans() ?? [],

    /** Processes of the command with this mark. `earlier`: running before it. */
    leftBy: (mark: string, earlier: readonly number[]): number[] =>
      (held?.orphans() ?? []).filter((id) => {
        const found = readMark(id);
        return found === mark || (found === null && !earlier.includes(id));
      }),

    /** Whether a process that a command left behind still runs. */
    hasProcesses: (): boolean => (held?.orphans() ?? []).length > 0,

    /** Copies of git configurations with their credentials removed; only of those that have any. */
    async withoutCredentials(configs: readonly string[]): Promise<[path: string, copy: string][]> {
      const copies = configs.map(async (path): Promise<[string, string][]> => {
        const text = await textOfRegular(path, maxConfigBytes);
        const clean = text === null ? "" : removeCredentials(text);
        if (clean === text) return [];
        const name = new Bun.CryptoHasher("sha256").update(path).digest("hex");
        const copy = join((await folders()).sockets, `config-${name.slice(0, 16)}`);
        await writeFile(copy, clean, { mode: 0o600 });
        return [[path, copy]];
      });
      return (await Promise.all(copies)).flat();
    },

    /** Files that commands wrote to the session's home since the last call, without caches. */
    async newHomeFiles(): Promise<string[]> {
      const { home } = await folders();
      const files = await visibleFiles(home);
      const fresh = files.filter((file) => !reported.has(file));
      reported = new Set(files);
      return fresh;
    },

    /** Ends all processes of the session's commands. */
    async close(): Promise<void> {
      (await namespaces?.catch(() => null))?.close();
      const found = await made?.catch(() => null);
      if (found) await rm(found.sockets, { recursive: true, force: true });
    },
  };
}

const maxConfigBytes = 256 * 1024;

/** Removes passwords from addresses, and settings that hold credentials. */
const removeCredentials = (config: string): string =>
  config
    .replace(/(:\/\/)[^/\s@"]+@/g, (all, start: string) => (all === "://git@" ? all : start))
    .replace(/^.*\b(?:extraheader|password|token)\b.*$/gim, "");

/** Removed when the session closes. */
async function createFolders() {
  const top = makeTemporary(await realpath(tmpdir()));
  const made = {
    /** Shown as /tmp. */
    temporary: join(top, "tmp"),
    /** Shown as the home folder; caches and tools of the real one are mounted over it. */
    home: join(top, "home"),
    noGit: join(top, "git"),
    /** An empty, unreadable file, mounted over hidden files. */
    sealed: join(top, "sealed"),
    /** The system calls that are refused. */
    filter: join(top, "filter"),
    /** For the socket of a proxy. */
    sockets: top,
  };
  for (const folder of [made.temporary, made.home, made.noGit]) await mkdir(folder);
  await writeFile(join(made.noGit, "config"), "", { mode: 0o600 });
  await writeFile(made.sealed, "", { mode: 0 });
  await writeFile(made.filter, callFilter(), { mode: 0o600 });
  return made;
}

const maxHomeFiles = 200;

/** Caches and state of tools. */
const noise =
  /^(?:\.(?:cache|npm|bun|cargo|gradle|m2|yarn|pnpm-store|nuget|rustup|deno|gnupg|dotnet)|\.config\/(?:git|configstore|go|matplotlib)|\.local\/(?:state|share\/(?:pnpm|virtualenv|uv|gem))|go|\.[\w-]*(?:history|hsts|lesshst|hst))(?:\/|$)/;

/** Files that the user may expect in the real home. */
async function visibleFiles(home: string): Promise<string[]> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.flatMap((entry) =>
    entry.isFile() ? relative(home, join(entry.parentPath, entry.name)) : [],
  );
  // Mounts leave empty files behind.
  const isWritten = (file: string): boolean =>
    !noise.test(file) && attempt(() => statSync(join(home, file)).size > 0, false);
  return files.filter(isWritten).slice(0, maxHomeFiles);
}

type Joined = { network: boolean; processes: boolean };

type Namespaces = {
  enter(joins: Joined): string[];
  /** Processes whose parent has ended. */
  orphans(): number[];
  hasEnded(): boolean;
  close(): void;
};

const enterers = [
  "/usr/bin/nsenter",
  "/usr/local/bin/nsenter",
  "/bin/nsenter",
  "/run/current-system/sw/bin/nsenter",
];

/**
 * Starts PID 1 of the shared namespaces, immune to signals from inside. PID 1 ends when its standard input closes, so
 * with this program, and all other processes end with PID 1. Null if the namespaces cannot be joined.
 */
async function holdNamespaces(bubblewrap: string): Promise<Namespaces | null> {
  const nsenter = enterers.find((path) => existsSync(path));
  if (nsenter === undefined || !existsSync("/bin/bash")) return null;
  const world = ["--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc"];
  const waits = ["--as-pid-1", "--", "/bin/bash", "--norc", "-c", "echo ready >&2; read -r _"];
  try {
    const holder = Bun.spawn(
      [bubblewrap, ...ownNamespaces({ network: true }), ...world, "--info-fd", "1", ...waits],
      { env: { PATH: "/usr/bin:/bin" }, stdin: "pipe", stdout: "pipe", stderr: "pipe" },
    );
    const close = (): void => {
      void holder.stdin.end();
      holder.kill("SIGKILL");
    };
    const id = /"child-pid":\s*(\d+)/.exec(await holder.stdout.text())?.[1];
    const { value: said } = await holder.stderr.getReader().read();
    const enter = ({ network, processes }: Joined): string[] => {
      const joined = [...(processes ? ["--pid", "--mount"] : []), ...(network ? ["--net"] : [])];
      return [nsenter, "--preserve-credentials", "--user", ...joined, `--target=${id}`, "--"];
    };
    const isReady = id !== undefined && new TextDecoder().decode(said).trim() === "ready";
    if (!isReady || !(await canRun([...enter({ network: true, processes: true }), "/bin/true"]))) {
      close();
      return null;
    }
    const orphans = (): number[] => listOrphans(Number(id));
    return {
      enter,
      orphans,
      close,
      hasEnded: () => holder.exitCode !== null || holder.signalCode !== null,
    };
  } catch {
    return null;
  }
}

const readProc = (path: string): string => attempt(() => readFileSync(`/proc/${path}`, "utf8"), "");

/** PID 1 adopts every orphan of its namespace. */
function listOrphans(first: number): number[] {
  const ids = readProc(`${first}/task/${first}/children`).split(" ").map(Number);
  return ids.filter((id) => id > 0 && readProcess(id)?.ended === false);
}

/** Null: the process has cleared its environment. */
const readMark = (id: number): string | null =>
  new RegExp(`(?:^|\0)${markVariable}=([^\0]*)\0`).exec(readProc(`${id}/environ`))?.[1] ?? null;

async function canRun(command: readonly string[]): Promise<boolean> {
  const child = Bun.spawn([...command], { env: {}, stdio: ["ignore", "ignore", "ignore"] });
  return (await child.exited) === 0;
}
