/** How a command is started: its source, its environment and what confines it. */

import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { delimiter, isAbsolute } from "node:path";
import { currentEnvironment, type Environment } from "../../base/environment.ts";
import { findBash } from "../../base/find-bash.ts";
import { quietGit } from "../../trust/git/run.ts";
import { coversHostName } from "../../trust/hosts.ts";
import type { Gate, HostProxy } from "../../trust/sandbox/network/host-proxy.ts";
import { forwarder, proxyEnvironment } from "../../trust/sandbox/network/inside.ts";
import type { Sandbox } from "../../trust/sandbox/sandbox.ts";
import { ToolError, type CommandLayer, type Execution } from "../tool.ts";
import { markVariable, unconfinedMark } from "./process-group.ts";
import { describeError, type Workspace } from "../workspace.ts";

export type Launch = {
  source: string;
  env: Record<string, string>;
  /** The shell, and before it the sandbox that it runs in. */
  shell: string[];
  confined: boolean;
  /** The only way to the network that it has; closed by the caller. */
  proxy: HostProxy | null;
  /** All processes that it starts end with it. */
  endsChildren: boolean;
  /** Files that it, or a command since the last call, wrote to the home that the sandbox shows. */
  newHomeFiles(): Promise<readonly string[]>;
  /** Processes of it that are no longer in its group. */
  strays(): number[];
  /** A command that writes more is ended. */
  maxOutputBytes: number;
  /** Its own view of the workspace, to be merged once all of it has ended. */
  layer: CommandLayer | null;
};

type LaunchOptions = {
  workspace: Workspace;
  env: Record<string, string>;
  /** Others for commands that are not read-only; more may be added. */
  variables: Readonly<Record<string, string>>;
  maxOutputBytes: number;
  sandbox(): Promise<Sandbox | null>;
  connections: Connections;
  /** Whether rules forbid to read a path; null: none of any. */
  forbidden(): ((path: string) => boolean) | null;
};

/** The user's rules about hosts, and name resolution. */
export type Connections = {
  word(host: string): "allow" | "ask" | "deny" | null;
  /** Some host is allowed by a rule. */
  isAnyAllowed(): boolean;
  resolve: Gate["resolve"];
};

/** For a command that runs without approval. */
const readOnlyOutputBytes = 10 * 1024 ** 2;

/**
 * Limits for a runaway program: file size and memory, in KB, where the system has them: macOS refuses the
 * second one. `cd` follows links as the kernel does.
 */
const readOnlyLimits = `ulimit -f ${readOnlyOutputBytes / 1024} -v ${2 * 1024 ** 2} 2>/dev/null; set -P`;

/** Variables that name sockets outside the sandbox. */
const outsideVariables =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|DBUS_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|GPG_.*|TMUX|TMPDIR)$/;

/** Variables that hold a token of the user: a command that needs one leaves the sandbox. */
const secretVariables =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY|CREDENTIALS?)(?:_|$)|_PAT$|^PGPASS|_AUTH$/i;

export type Launcher = ReturnType<typeof launcherWith>;

export function launcherWith(options: LaunchOptions) {
  const { workspace, env: base, variables, maxOutputBytes, connections } = options;

  const path = (): string[] =>
    (variables["PATH"] ?? base["PATH"] ?? "").split(delimiter).filter(isAbsolute);

  /** The words before the shell's own; null where it cannot be confined. Throws `ToolError`. */
  async function confine(
    { as, network, git, writable, ...more }: Execution,
    where: { cwd: string; cwdFile: string },
  ): Promise<Confined | null> {
    const sandbox = await options.sandbox();
    if (!sandbox) return null;
    const lost = writable.find((path) => !existsSync(path));
    if (lost !== undefined)
      throw new ToolError(`${lost} does not exist; name the folder that it would be in.`);
    const proxy =
      as === "workspace-write" && network !== "any" && !more.views
        ? await proxyFor(sandbox, network)
        : null;
    // Nobody was asked about it.
    const hides = more.views
      ? () => true
      : more.undoable === "required"
        ? options.forbidden()
        : null;
    const joins = as === "workspace-write" && !more.views;
    const how = {
      kind: as,
      git,
      path: path(),
      writable,
      joins,
      looks: more.looks === true,
      views: more.views === true,
      unkept: more.unkept ?? [],
      layer: more.layer ?? null,
      hides,
      hidesObjects: git === null && options.forbidden() !== null,
      ...where,
    };
    const before = await sandbox.confine({
      ...how,
      network: proxy ?? (network === "any" ? "any" : "off"),
    });
    return (
      before && {
        before: [...before, ...(proxy ? await forwarder(proxy) : [])],
        proxy,
        temporary: (await sandbox.temporaryFolder()).name,
        hasNamespaces: sandbox.hasNamespaces,
        newHomeFiles: sandbox.newHomeFiles,
        orphans: sandbox.orphans,
        leftBy: sandbox.leftBy,
        variables: sandbox.variables,
      }
    );
  }

  /** Only where some host may be reached: it costs about 10 ms a command. */
  async function proxyFor(
    sandbox: Sandbox,
    network: "off" | readonly string[],
  ): Promise<HostProxy | null> {
    const { word, isAnyAllowed, resolve } = connections;
    const hosts = network === "off" ? [] : network;
    if (hosts.length === 0 && !isAnyAllowed()) return null;
    const isAllowed = (host: string): boolean =>
      word(host) === "allow" ||
      (word(host) !== "deny" && hosts.some((name) => coversHostName(name, host)));
    try {
      return await sandbox.openProxy({ isAllowed, resolve });
    } catch (error) {
      throw new ToolError(`The sandbox's network could not be opened (${describeError(error)}).`);
    }
  }

  return {
    /** Without an `execution` the user typed the command: it runs unchanged. Throws `ToolError`. */
    async prepare(
      text: string,
      execution: Execution | undefined,
      where: { cwd: string; cwdFile: string },
    ): Promise<Launch> {
      const plain: Launch = {
        source: text,
        env: { ...base, ...variables, [markVariable]: unconfinedMark },
        shell: [anyShell(base)],
        confined: false,
        proxy: null,
        endsChildren: false,
        newHomeFiles: async () => [],
        strays: () => [],
        maxOutputBytes,
        layer: null,
      };
      if (!execution) return plain;
      const confined = execution.sandbox === "never" ? null : await confine(execution, where);
      if (confined === null && execution.sandbox === "required") {
        throw new ToolError(
          "This runs without approval only in the sandbox, and the workspace is too large for that. " +
            "Name the files, or send it again with sandbox: false, which needs approval.",
        );
      }
      const within: Launch = confined
        ? { ...plain, shell: [...confined.before, systemShell()], confined: true }
        : plain;
      if (execution.as === "workspace-write") {
        const { source } = execution;
        if (!confined) return { ...within, source };
        const { proxy, newHomeFiles, orphans, leftBy } = confined;
        const earlier = orphans();
        const mark = crypto.randomUUID();
        const env = {
          ...confinedEnvironment(plain.env, confined),
          ...(execution.views ? viewVariables(confined.temporary) : {}),
          [markVariable]: mark,
        };
        const { layer = null } = execution;
        if (layer !== null)
          return { ...within, source, env, proxy, newHomeFiles, layer, endsChildren: true };
        return { ...within, source, env, proxy, newHomeFiles, strays: () => leftBy(mark, earlier) };
      }
      return {
        ...within,
        source: `${readOnlyLimits}\n${execution.source}`,
        env: {
          ...(await readOnlyEnvironment(base, workspace)),
          // It only reads the session's /tmp.
          ...(confined?.hasNamespaces ? { TMPDIR: "/dev/shm" } : {}),
        },
        endsChildren: confined?.hasNamespaces ?? false,
        maxOutputBytes: Math.min(maxOutputBytes, readOnlyOutputBytes),
      };
    },

    /** A program that runs beside the session: like an approved command, without network. */
    async program(
      program: readonly string[],
      cwd: string,
    ): Promise<{ command: string[]; cwd: string; env: Record<string, string> }> {
      const sandbox = await options.sandbox();
      if (!sandbox) return { command: [...program], cwd, env: base };
      const before = (await sandbox.confine({ ...confinedProgram, path: path(), cwd })) ?? [];
      const { name: temporary } = await sandbox.temporaryFolder();
      const variables = { ...sandbox.variables, ...viewVariables(temporary) };
      const env = confinedEnvironment(base, { temporary, proxy: null, variables });
      return { command: [...before, ...program], cwd, env };
    },
  };
}

/** Where programs write that would write to the workspace. */
const viewVariables = (temporary: string) => {
  return { CARGO_TARGET_DIR: `${temporary}/cargo-target`, PYTHONDONTWRITEBYTECODE: "1" };
};

type Confined = {
  /** The words before the shell's own. */
  before: string[];
  proxy: HostProxy | null;
  temporary: string;
  hasNamespaces: boolean;
  newHomeFiles: Launch["newHomeFiles"];
  orphans(): number[];
  leftBy: Sandbox["leftBy"];
  variables: Readonly<Record<string, string>>;
};

const confinedProgram = {
  kind: "workspace-write",
  network: "off",
  writable: [],
  git: null,
  joins: false,
  looks: false,
  hides: null,
  hidesObjects: false,
  unkept: [],
  layer: null,
  views: true,
} as const;

function confinedEnvironment(
  env: Readonly<Record<string, string>>,
  { temporary, proxy, variables }: Pick<Confined, "temporary" | "proxy" | "variables">,
): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name]) => !outsideVariables.test(name) && !secretVariables.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    ...variables,
    TMPDIR: temporary,
    ...(proxy && proxyEnvironment(proxy)),
  };
}

const keptVariables = ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "TZ", "USER"];

/**
 * The environment of a command that runs without approval: no programs of the workspace on its
 * PATH, nothing that makes a program read other files or run others.
 */
async function readOnlyEnvironment(
  env: Readonly<Record<string, string>>,
  workspace: Workspace,
): Promise<Record<string, string>> {
  const folders = (env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  const safe = await Promise.all(folders.map((folder) => isOutside(folder, workspace)));
  return {
    ...Object.fromEntries(keptVariables.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    PATH: folders.filter((_, at) => safe[at]).join(delimiter),
    TERM: "dumb",
    ...quietGit,
  };
}

async function isOutside(folder: string, workspace: Workspace): Promise<boolean> {
  const real = await realpath(folder).catch(() => null);
  return real !== null && workspace.areaOf(real) === "outside";
}

function anyShell(env: Environment = {}): string {
  const bash = findBash({ ...currentEnvironment(), ...env });
  if (bash === null && process.platform === "win32")
    throw new ToolError("Commands need Git Bash; install Git for Windows.");
  return bash ?? "/bin/sh";
}

/** Inside, only the system's folders are sure to be there. */
const systemShell = (): string =>
  ["/bin/bash", "/usr/bin/bash"].find((path) => existsSync(path)) ?? anyShell({});
