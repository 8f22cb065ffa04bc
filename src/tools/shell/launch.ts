/** How a command is started: its source, its environment and what confines it. */

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { ToolError, type Execution } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import { lookEnvironment } from "./look-environment.ts";

export type Launch = {
  source: string;
  env: Record<string, string>;
  /** The shell, and before it the sandbox that it runs in. */
  shell: string[];
  confined: boolean;
  /** All processes that it starts end with it. */
  endsChildren: boolean;
  /** A command that writes more is ended. */
  outputBytesAtMost: number;
};

type LaunchOptions = {
  workspace: Workspace;
  env: Record<string, string>;
  outputBytesAtMost: number;
  sandbox(): Promise<Sandbox | null>;
};

/** For a command that runs without approval. */
const lookOutputBytes = 10 * 1024 ** 2;

/** What a runaway program may take: file size and memory, in KB. `cd` follows links as the kernel does. */
const lookLimits = `ulimit -f ${lookOutputBytes / 1024} -v ${2 * 1024 ** 2}; set -P`;

/** Variables that name sockets outside the sandbox. */
const outsideVariables =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|DBUS_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|GPG_.*|TMUX|TMPDIR)$/;

export class Launcher {
  readonly #options: LaunchOptions;

  constructor(options: LaunchOptions) {
    this.#options = options;
  }

  /** Without an `execution` the user typed the command: it runs as it is. Throws `ToolError`. */
  async prepare(
    text: string,
    execution: Execution | undefined,
    where: { cwd: string; cwdFile: string },
  ): Promise<Launch> {
    const { env, outputBytesAtMost, workspace } = this.#options;
    const plain = {
      source: text,
      env,
      shell: [anyShell(env["PATH"])],
      confined: false,
      endsChildren: false,
      outputBytesAtMost,
    };
    if (!execution) return plain;
    const confine = execution.sandbox === "never" ? null : await this.#confine(execution, where);
    if (confine === null && execution.sandbox === "required") {
      throw new ToolError(
        "This runs without approval only in the sandbox, and the workspace is too large for that. " +
          "Name the files, or send it again with sandbox: false to ask the user.",
      );
    }
    const shell = confine === null ? [anyShell(env["PATH"])] : [...confine, systemShell()];
    const confined = confine !== null;
    if (execution.as === "work") {
      const inner = confined ? confinedEnvironment(env) : env;
      return { ...plain, source: execution.source, env: inner, shell, confined };
    }
    return {
      source: `${lookLimits}\n${execution.source}`,
      env: await lookEnvironment(env, workspace),
      shell,
      confined,
      endsChildren: confined,
      outputBytesAtMost: Math.min(outputBytesAtMost, lookOutputBytes),
    };
  }

  async #confine(
    { as, network, git, effects }: Execution,
    where: { cwd: string; cwdFile: string },
  ): Promise<string[] | null> {
    const sandbox = await this.#options.sandbox();
    const path = (this.#options.env["PATH"] ?? "").split(":").filter(isAbsolute);
    return sandbox && sandbox.confine({ kind: as, network, git, effects, path, ...where });
  }
}

function confinedEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !outsideVariables.test(name));
  return { ...Object.fromEntries(kept), TMPDIR: "/tmp" };
}

const anyShell = (PATH = ""): string => Bun.which("bash", { PATH }) ?? "/bin/sh";

/** Inside, only the system's folders are sure to be there. */
const systemShell = (): string =>
  ["/bin/bash", "/usr/bin/bash"].find((path) => existsSync(path)) ?? anyShell();
