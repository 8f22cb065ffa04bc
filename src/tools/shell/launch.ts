/** How a command is started: source, environment, confinement. */

import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { delimiter, isAbsolute } from "node:path";
import { currentEnvironment, type Environment } from "../../base/environment.ts";
import { findBash } from "../../base/find-bash.ts";
import { quietGit } from "../../trust/git/run.ts";
import { needsSigning } from "../../trust/git/signing.ts";
import { isSecretVariable } from "../../trust/files/secrets.ts";
import { coversHostName } from "../../trust/hosts.ts";
import type { Gate, HostProxy } from "../../trust/sandbox/network/host-proxy.ts";
import { forwarder, proxyEnvironment } from "../../trust/sandbox/network/inside.ts";
import type { NetworkGate } from "../../trust/sandbox/bubblewrap.ts";
import type { KeptBack } from "../../trust/sandbox/notes.ts";
import type { Sandbox } from "../../trust/sandbox/sandbox.ts";
import { ToolError, type Execution } from "../tool.ts";
import { markVariable, unconfinedMark } from "./process-group.ts";
import { describeError, type Workspace } from "../workspace.ts";

export type Launch = {
  source: string;
  env: Record<string, string>;
  /** The shell, and before it the sandbox that it runs in. */
  shell: string[];
  /** The only way to the network that it has; closed by the caller. */
  gate: NetworkGate | null;
  /** All processes that it starts end with it. */
  endsChildren: boolean;
  /** Files that it, or a command since the last call, wrote to the home that the sandbox shows. */
  newHomeFiles(): Promise<readonly string[]>;
  /** Processes of it that are no longer in its group. */
  strays(): number[];
  /** Null: it was not confined. */
  kept: KeptBack | null;
};

type LaunchOptions = {
  workspace: Workspace;
  env: Record<string, string>;
  /** Additional variables of commands that are not read-only; the object may grow. */
  variables: Readonly<Record<string, string>>;
  /** Variables that confined commands keep although they may be secret. */
  keepVariables: readonly string[];
  sandbox(): Promise<Sandbox | null>;
  connections: Connections;
  /** Whether rules restrict reading. */
  restrictsReading(): boolean;
};

/** The user's rules about hosts, and name resolution. */
export type Connections = {
  word(host: string): "allow" | "ask" | "deny" | null;
  /** A rule allows at least one host. */
  isAnyAllowed(): boolean;
  resolve: Gate["resolve"];
};

/** Processes and threads of a session, so that one that multiplies ends itself. */
const processLimit = "ulimit -Su 8192 2>/dev/null; ";

/** Variables that name sockets outside the sandbox. */
const outsideVariables =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|DBUS_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|GPG_.*|TMUX|TMPDIR)$/;

export type Launcher = ReturnType<typeof launcherWith>;

export function launcherWith(options: LaunchOptions) {
  const { workspace, env: base, variables, connections } = options;

  const path = (): string[] =>
    (variables["PATH"] ?? base["PATH"] ?? "").split(delimiter).filter(isAbsolute);

  const isRemoved = (name: string, value: string): boolean =>
    outsideVariables.test(name) ||
    (isSecretVariable(name, value) && !options.keepVariables.includes(name));

  const confinedEnvironment = (
    env: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>>,
  ): Record<string, string> => ({
    ...Object.fromEntries(Object.entries(env).filter(([name, value]) => !isRemoved(name, value))),
    ...more,
  });

  /** The words before the shell's own. Throws `ToolError`. */
  async function confine(
    { source, write, network, writable }: Execution,
    where: { cwd: string; cwdFile: string },
  ) {
    const sandbox = await options.sandbox();
    if (!sandbox) throw new ToolError(noSandbox);
    const isInside = (path: string): boolean => workspace.areaOf(path) !== "outside";
    const lost = writable.find((path) => !isInside(path) && !existsSync(path));
    if (lost !== undefined)
      throw new ToolError(`${lost} does not exist; name the folder that it would be in.`);
    const hasProxy = network !== "any" && process.platform === "linux";
    const proxy = hasProxy ? await proxyFor(sandbox, network) : null;
    const { before, gate, variables, ...seen } = await sandbox.confine({
      write,
      path: path(),
      writable,
      joins: true,
      hidesObjects: options.restrictsReading() && !/(?<!\.)\bgit\b/.test(source),
      network: proxy ?? (network === "any" ? "any" : "off"),
      reach: { access: network, isAllowed: (host) => connections.word(host) === "allow" },
      ...where,
    });
    return {
      before: [...before, ...(proxy ? await forwarder(proxy) : [])],
      variables: { ...variables, ...(proxy && proxyEnvironment(proxy)) },
      gate: gate ?? proxy,
      seen,
      sandbox,
    };
  }

  /** The proxy to the allowed hosts; null if there are none, since a proxy costs about 10 ms per command. */
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
    /** Whether the line makes something signed, for which it has to leave the sandbox. */
    needsSigning: async (line: string, cwd: string): Promise<boolean> =>
      (await needsSigning(line, cwd, base)) && (await options.sandbox()) !== null,

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
        gate: null,
        endsChildren: false,
        newHomeFiles: async () => [],
        strays: () => [],
        kept: null,
      };
      if (!execution) return plain;
      const { source, write, confined: isConfined } = execution;
      if (!isConfined)
        return {
          ...plain,
          source,
          ...(!write && { env: await readOnlyEnvironment(base, workspace) }),
        };
      const { before, variables: added, gate, seen, sandbox } = await confine(execution, where);
      const earlier = sandbox.orphans();
      const mark = crypto.randomUUID();
      return {
        ...plain,
        source: processLimit + source,
        shell: [...before, systemShell()],
        kept: {
          variables: Object.entries(plain.env).flatMap(([name, value]) =>
            isRemoved(name, value) ? [name] : [],
          ),
          files: seen.hidden,
          write,
          home: workspace.home,
          removeTraps: () => sandbox.removeTraps(seen.repositories),
        },
        env: {
          ...confinedEnvironment(plain.env, added),
          ...(write ? {} : viewVariables),
          [markVariable]: mark,
        },
        gate,
        newHomeFiles: sandbox.newHomeFiles,
        endsChildren: !write,
        strays: () => sandbox.leftBy(mark, earlier),
      };
    },

    /** A program that a project brings along: confined where that is possible, without network. */
    async program(
      program: readonly string[],
      { cwd, env = base, write, writable = [] }: ProgramOptions,
    ): Promise<{ command: string[]; cwd: string; env: Record<string, string> }> {
      const sandbox = await options.sandbox();
      if (!sandbox) return { command: [...program], cwd, env };
      const how = { ...confinedProgram, write, writable, path: path(), cwd };
      const { before, variables } = await sandbox.confine(how);
      const more = { ...variables, ...(write ? {} : viewVariables) };
      return { command: [...before, ...program], cwd, env: confinedEnvironment(env, more) };
    },
  };
}

type ProgramOptions = {
  cwd: string;
  /** By default that of commands. */
  env?: Record<string, string>;
  /** The program may write to the workspace. */
  write: boolean;
  /** Writable files outside the workspace. */
  writable?: readonly string[];
};

/** Redirect or stop writes to a read-only workspace. */
const viewVariables = { CARGO_TARGET_DIR: "/tmp/cargo-target", PYTHONDONTWRITEBYTECODE: "1" };

const confinedProgram = {
  network: "off",
  joins: false,
  hidesObjects: false,
  reach: { access: "off", isAllowed: () => false },
} as const;

const noSandbox =
  "Commands can no longer be confined here. Send the command again with sandbox: false, which needs approval.";

const keptVariables = (
  "HOME LANG LC_ALL LC_CTYPE LOGNAME TZ USER " +
  // For the tools of forges.
  "XDG_CONFIG_HOME DBUS_SESSION_BUS_ADDRESS GH_CONFIG_DIR GH_HOST GH_TOKEN GITHUB_TOKEN GITLAB_TOKEN"
).split(" ");

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
