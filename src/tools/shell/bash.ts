import { dirname } from "node:path";
import { stat } from "node:fs/promises";
import { z } from "zod";
import { upTo } from "../inputs.ts";
import type { ToolInput } from "../../protocol/block.ts";
import type { ResultPolicy } from "../results.ts";
import { hostName } from "../../trust/hosts.ts";
import { textOutput, ToolError, type Tool, type ToolOutput } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import description from "./bash.md" with { type: "text" };
import { isWords, joinCommand } from "../foreign-names.ts";
import { startCommand, type RunningCommand, type Ending, type ShellSettings } from "./command.ts";
import type { Launcher } from "./launch.ts";
import type { BackgroundShells } from "./background.ts";
import { report } from "./report.ts";

const maxTimeoutMs = 60 * 60_000;

const input = z.strictObject({
  command: z.string().min(1),
  description: z.string().optional().describe("In a few words, for the user."),
  timeout: upTo(maxTimeoutMs).describe("Milliseconds, 120000 by default."),
  run_in_background: z.boolean().optional().describe("Returns at once."),
  hosts: z.array(z.string()).max(20).optional().describe("Hosts to reach from the sandbox."),
  writable: z
    .array(z.string())
    .max(20)
    .optional()
    .describe("Paths outside the workspace to write to."),
  sandbox: z.boolean().optional().describe("false: runs without the sandbox."),
  workdir: z.string().min(1).optional().meta({ deprecated: true }),
});

type BashInput = z.infer<typeof input>;

type BashOptions = {
  workspace: Workspace;
  shells: BackgroundShells;
  settings: ShellSettings;
  launcher: Launcher;
  policy: ResultPolicy;
  timeoutMs: number;
  now(): number;
};

/** Runs commands, each in the folder where the one before it ended. `cwd`: where the next one starts. */
export function bashTool(options: BashOptions): { tool: Tool<BashInput>; cwd(): string } {
  const { workspace, shells, settings, launcher, policy, timeoutMs, now } = options;
  let cwd = workspace.root;

  /** The next command starts where this one ended, unless that is outside. */
  async function follow(command: RunningCommand): Promise<string> {
    const ended = await command.finalCwd();
    if (ended === null) return "";
    const { area, path } = await workspace.locate(ended);
    if (area === "workspace" || area === "added") {
      cwd = path;
      return "";
    }
    cwd = workspace.root;
    return `\n[The working folder was reset to ${cwd}: ${path} is outside the workspace.]`;
  }

  async function leaveLostFolder(): Promise<string> {
    const there = await stat(cwd).catch(() => null);
    if (there?.isDirectory()) return "";
    const lost = cwd;
    cwd = workspace.root;
    return `\n[The working folder ${lost} is gone; this ran in ${cwd}.]`;
  }

  /** Keeps track of processes that a command leaves running. */
  async function adopt(command: RunningCommand, ending: Ending): Promise<string> {
    const stays = await command.staysAlive();
    if (!stays || (ending.how !== "exit" && ending.how !== "signal")) return "";
    return `\n[It left processes running in the background: ${shells.add(command, false)}.]`;
  }

  /** Other agents name the folder with each call. Throws `ToolError`. */
  async function folderFor(workdir: string): Promise<string> {
    const { area, path, shown } = await workspace.locate(workdir);
    const there = await stat(path).catch(() => null);
    if (!there?.isDirectory()) throw new ToolError(`workdir: ${shown} is not a folder.`);
    if (area === "workspace" || area === "added") return path;
    throw new ToolError(`workdir: ${shown} is outside the workspace ${workspace.root}.`);
  }

  const tool: Tool<BashInput> = {
    name: "Bash",
    description,
    schema: input,
    adapt,
    readOnly: false,
    async intent({ command, description: words, run_in_background: background, ...asked }) {
      const { hosts, writable = [], sandbox, workdir } = asked;
      const from = workdir === undefined ? null : await folderFor(workdir);
      const paths = await Promise.all(writable.map((path) => workspace.locate(path, cwd)));
      return {
        access: {
          kind: "command",
          command,
          background,
          hosts: hosts?.filter((host) => !isSandboxHost(host)).map(checkHost),
          // The session has its own /tmp.
          writable: paths.filter(({ area }) => area !== "temporary").map(({ path }) => path),
          outside: sandbox === false || (await launcher.needsSigning(command, from ?? cwd)),
          ...(from !== null && { cwd: from }),
        },
        title: "Run a command",
        detail: command,
        detailKind: "command",
        description: words,
      };
    },
    async run({ command: text, timeout, run_in_background: background = false, workdir }, run) {
      if (workdir !== undefined) cwd = await folderFor(workdir);
      const lost = await leaveLostFolder();
      const from = cwd;
      const where = { cwd: from, ms: now(), id: run.toolUse, takesInput: background };
      const command = await startCommand(text, where, settings, (cwdFile) =>
        launcher.prepare(text, run.execution, { cwd: from, cwdFile }),
      );
      // Elsewhere, the folder for results cannot be written.
      if (dirname(command.file) === settings.resultsDir) workspace.addResult(command.file);
      if (background) return inBackground(shells.add(command, true), command);
      const unwatch = command.watch(run.progress);
      const limitMs = timeout ?? timeoutMs;
      const timer = setTimeout(() => void command.end("timeout"), limitMs);
      const interrupt = () => void command.end("interrupt");
      run.signal.addEventListener("abort", interrupt);
      if (run.signal.aborted) interrupt();
      try {
        const first = await Promise.race([command.ended, run.background.then(() => "background")]);
        if (typeof first === "string") return inBackground(shells.add(command, true), command);
        const notes = lost + (await follow(command)) + (await adopt(command, first));
        const timedOut = `timed out after ${limitMs} ms; if it is a server or a watcher, use run_in_background`;
        const homeFiles = await command.newHomeFiles();
        return await report(command, first, { timedOut, notes, cwd: from, homeFiles }, policy);
      } finally {
        unwatch();
        clearTimeout(timer);
        run.signal.removeEventListener("abort", interrupt);
      }
    },
  };
  return { tool, cwd: () => cwd };
}

/** The sandbox reaches itself anyway. */
const isSandboxHost = (host: string): boolean =>
  /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|::1)(?::\d+)?\/?$/i.test(host);

/** Throws `ToolError`. */
function checkHost(text: string): string {
  const name = hostName(text);
  if (name !== null) return name;
  throw new ToolError(`“${text}” is not a host such as example.com or *.example.com.`);
}

function inBackground(id: string, command: RunningCommand): ToolOutput {
  return textOutput(
    `Running in the background as ${id}. You are told when it ends. Its output goes to ` +
      `${command.file}; read it with BashOutput {"bash_id": "${id}"}.`,
  );
}

/** Below this, a time limit can only be meant in seconds. */
const leastMs = 1_000;

function adapt(input: ToolInput): ToolInput {
  const { command, cmd = command, timeout } = input;
  const isOutside =
    input["dangerouslyDisableSandbox"] === true ||
    input["with_escalated_permissions"] === true ||
    input["sandbox_permissions"] === "require_escalated";
  return {
    ...input,
    ...(isWords(cmd) && { command: joinCommand(cmd) }),
    ...(typeof timeout === "number" &&
      timeout > 0 &&
      timeout < leastMs && { timeout: Math.max(leastMs, timeout * 1_000) }),
    ...(isOutside && { sandbox: false }),
  };
}
