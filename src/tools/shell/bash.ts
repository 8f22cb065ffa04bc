import { rm, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { upTo } from "../inputs.ts";
import type { ToolInput } from "../../protocol/block.ts";
import { isBinary, preview } from "../../context/tiers/persist.ts";
import type { ResultPolicy } from "../results.ts";
import { hostName } from "../../trust/hosts.ts";
import { textOutput, ToolError, type Tool, type ToolOutput, type ToolRun } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import description from "./bash.md" with { type: "text" };
import { isWords, joinCommand } from "../foreign-names.ts";
import { cleanOutput } from "./clean-output.ts";
import { startCommand, type RunningCommand, type Ending, type ShellSettings } from "./command.ts";
import type { Launcher } from "./launch.ts";
import { measure, readHead, readTail } from "./output-file.ts";
import { endingInWords, type BackgroundShells } from "./background.ts";
import { sandboxNotes } from "./sandbox-notes.ts";

/** Longer output is not read as a whole. */
const maxCleanedBytes = 4 * 1024 * 1024;

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

  async function start(text: string, run: ToolRun, takesInput: boolean): Promise<RunningCommand> {
    const { toolUse, execution } = run;
    const from = cwd;
    const where = { cwd: from, ms: now(), id: toolUse, takesInput };
    const command = await startCommand(text, where, settings, (cwdFile) =>
      launcher.prepare(text, execution, { cwd: from, cwdFile }),
    );
    workspace.addResult(command.file);
    return command;
  }

  const tool: Tool<BashInput> = {
    name: "Bash",
    description: description.trim(),
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
          // Of /tmp the session has its own.
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
      const command = await start(text, run, background);
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

type ReportOptions = {
  timedOut: string;
  notes: string;
  /** Where it started. */
  cwd: string;
  homeFiles: readonly string[];
};

async function report(
  command: RunningCommand,
  ending: Ending,
  { timedOut, notes, cwd, homeFiles }: ReportOptions,
  policy: ResultPolicy,
): Promise<ToolOutput> {
  const size = await measure(command.file);
  const failed = ending.how !== "exit" || ending.code !== 0;
  const how = ending.how === "timeout" ? timedOut : endingInWords(ending);
  const flood = size.bytes >= command.maxOutputBytes ? floodNote(command) : null;
  // A command may end well although its output was lost.
  const full = (await isDiskFull(command.file)) ? `\n${diskFullNote(command.file)}` : "";
  const end = (failed ? `\n[${flood ?? how}]` : "") + full + notes;
  const hint = (output: string): string => {
    const { kept, text: line } = command;
    const refusals = command.refusals();
    return kept
      ? sandboxNotes({ command: line, cwd, failed, output, kept, refusals, homeFiles })
      : "";
  };
  const error = failed ? { isError: true as const } : {};
  // Measured after cleaning: progress bars overwrite themselves.
  const whole =
    size.bytes <= Math.max(policy.persistBytes, maxCleanedBytes)
      ? cleanOutput(await readHead(command.file, size.bytes)).trimEnd()
      : null;
  if (whole !== null && Buffer.byteLength(whole) <= policy.persistBytes && !isBinary(whole)) {
    if (!(await command.isAlive())) await rm(command.file, { force: true });
    const shown = (whole + end + hint(whole)).replace(/^\n/, "") || "(no output)";
    return { ...textOutput(shown), ...error, bytes: Buffer.byteLength(whole), lines: size.lines };
  }
  const head = cleanOutput(await readHead(command.file, policy.previewChars * 4));
  const tail = cleanOutput((await readTail(command.file, policy.previewChars)).text);
  const text = preview({ ...size, file: command.file }, { head, tail }, policy) + end + hint(tail);
  return { ...textOutput(text), file: command.file, ...error, ...size };
}

/** Less room than this, in bytes, cuts off the output of a command. */
const leastRoom = 64 * 1024;

async function isDiskFull(file: string): Promise<boolean> {
  const room = await statfs(dirname(file)).catch(() => null);
  return room !== null && room.bavail * room.bsize < leastRoom;
}

const diskFullNote = (file: string): string =>
  `[The disk is full: ${dirname(file)} has no room for the output of commands.]`;

/** The sandbox reaches itself anyway. */
const isSandboxHost = (host: string): boolean =>
  /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|::1)(?::\d+)?\/?$/i.test(host);

/** Throws `ToolError`. */
function checkHost(text: string): string {
  const name = hostName(text);
  if (name !== null) return name;
  throw new ToolError(`“${text}” is not a host such as example.com or *.example.com.`);
}

const floodNote = ({ maxOutputBytes }: RunningCommand): string =>
  `killed because it wrote more than ${Math.floor(maxOutputBytes / 1_000_000)} MB of output`;

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
