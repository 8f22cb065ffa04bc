import { rm, stat } from "node:fs/promises";
import { z } from "zod";
import { preview, type ResultPolicy } from "../results.ts";
import { hostName } from "../permission/hosts.ts";
import { textOutput, ToolError, type Tool, type ToolOutput, type ToolRun } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import { cleanOutput } from "./clean-output.ts";
import { Command, type Ending, type ShellSettings } from "./command.ts";
import type { Launcher } from "./launch.ts";
import { measure, readHead, readTail } from "./output-file.ts";
import { endingInWords, type BackgroundShells } from "./background.ts";

const timeoutMsAtMost = 60 * 60_000;

/** Longest time for a command that nobody was asked about, in milliseconds. */
const lookMs = 60_000;

const input = z.strictObject({
  command: z.string().min(1),
  description: z.string().optional().describe("What it does, in a few words."),
  timeout: z
    .number()
    .int()
    .positive()
    .max(timeoutMsAtMost)
    .optional()
    .describe("Milliseconds, 120000 by default."),
  run_in_background: z.boolean().optional().describe("For servers and watchers: returns at once."),
  hosts: z.array(z.string()).max(20).optional(),
  writable: z.array(z.string()).max(20).optional(),
  sandbox: z
    .boolean()
    .optional()
    .describe("false: outside of it. The user is asked, as for hosts and writable paths."),
});

type Input = z.infer<typeof input>;

type BashOptions = {
  workspace: Workspace;
  shells: BackgroundShells;
  settings: ShellSettings;
  launcher: Launcher;
  policy: ResultPolicy;
  timeoutMs: number;
  now(): number;
};

/** Runs commands, each in the folder where the one before it ended. */
export class Bash implements Tool<Input> {
  readonly name = "Bash";
  readonly description =
    "Runs a bash command, without input or a terminal. The working folder persists between calls, " +
    "other shell state does not. Long output is cut to its ends and kept " +
    "in a file. Prefer Read, Glob and Grep to cat, find and grep.";
  readonly schema = input;
  readonly readOnly = false;
  readonly #options: BashOptions;
  #cwd: string;

  constructor(options: BashOptions) {
    this.#options = options;
    this.#cwd = options.workspace.root;
  }

  /** Where the next command starts. */
  get cwd(): string {
    return this.#cwd;
  }

  async intent({
    command,
    description,
    run_in_background: background,
    hosts,
    writable,
    sandbox,
  }: Input): ReturnType<Tool<Input>["intent"]> {
    const paths = await Promise.all(
      (writable ?? []).map((path) => this.#options.workspace.locate(path, this.#cwd)),
    );
    return {
      access: {
        kind: "command",
        command,
        ...(background && { background }),
        ...(hosts && { hosts: hosts.map(nameOfHost) }),
        ...(writable && { writable: paths.map(({ path }) => path) }),
        ...(sandbox === false && { outside: true }),
      },
      title: "Run a command",
      detail: command,
      detailKind: "command",
      ...(description === undefined ? {} : { description }),
    };
  }

  async run(
    { command: text, timeout, run_in_background }: Input,
    run: ToolRun,
  ): Promise<ToolOutput> {
    const { launcher, settings, shells, timeoutMs } = this.#options;
    const lost = await this.#leaveLostFolder();
    const where = { cwd: this.#cwd, ms: this.#options.now(), id: run.toolUse };
    const command = await Command.start(text, where, settings, (cwdFile) =>
      launcher.prepare(text, run.execution, { cwd: where.cwd, cwdFile }),
    );
    this.#options.workspace.addResult(command.file);
    if (run_in_background) return inBackground(shells.add(command), command);
    const unwatch = command.watch(run.progress);
    const allowedMs = timeout ?? timeoutMs;
    const limitMs = run.execution?.as === "look" ? Math.min(allowedMs, lookMs) : allowedMs;
    const timer = setTimeout(() => void command.end("timeout"), limitMs);
    const interrupt = () => void command.end("interrupt");
    run.signal.addEventListener("abort", interrupt);
    if (run.signal.aborted) interrupt();
    try {
      const first = await Promise.race([command.ended, run.background.then(() => "background")]);
      if (typeof first === "string") return inBackground(shells.add(command), command);
      const notes =
        lost +
        (await this.#follow(command)) +
        (await this.#adopt(command, first)) +
        refusalNote(command.refusals);
      return await this.#report(command, first, limitMs, notes);
    } finally {
      unwatch();
      clearTimeout(timer);
      run.signal.removeEventListener("abort", interrupt);
    }
  }

  /** The next command starts where this one ended, unless that is outside. */
  async #follow(command: Command): Promise<string> {
    const cwd = await command.finalCwd();
    if (cwd === null) return "";
    const { workspace } = this.#options;
    const { area, path } = await workspace.locate(cwd);
    if (area === "workspace" || area === "added") {
      this.#cwd = path;
      return "";
    }
    this.#cwd = workspace.root;
    return `\n[The working folder was reset to ${workspace.root}: ${path} is outside the workspace.]`;
  }

  async #leaveLostFolder(): Promise<string> {
    const there = await stat(this.#cwd).catch(() => null);
    if (there?.isDirectory()) return "";
    const lost = this.#cwd;
    this.#cwd = this.#options.workspace.root;
    return `\n[The working folder ${lost} is gone; this ran in ${this.#cwd}.]`;
  }

  /** What a command leaves running is neither lost nor forgotten. */
  async #adopt(command: Command, ending: Ending): Promise<string> {
    const stays = await command.staysAlive();
    if (!stays || (ending.how !== "exit" && ending.how !== "signal")) return "";
    const id = this.#options.shells.add(command);
    return `\n[It left processes running in the background: ${id}.]`;
  }

  async #report(
    command: Command,
    ending: Ending,
    limitMs: number,
    notes: string,
  ): Promise<ToolOutput> {
    const { policy } = this.#options;
    const whole = { file: command.file, ...(await measure(command.file)) };
    const failed = ending.how !== "exit" || ending.code !== 0;
    const how = ending.how === "timeout" ? `timed out after ${limitMs} ms` : endingInWords(ending);
    const flood = whole.bytes >= command.outputBytesAtMost ? floodNote(command) : null;
    const end = (failed ? `\n[${flood ?? how}]` : "") + notes;
    const hint = (text: string) =>
      failed && command.confined && blocked.test(text) ? sandboxNote : "";
    const error = failed ? { isError: true as const } : {};
    if (whole.bytes <= policy.persistBytes) {
      const text = cleanOutput(await readHead(command.file, whole.bytes)).trimEnd();
      if (!(await command.isAlive())) await rm(command.file, { force: true });
      const shown = (text + end + hint(text)).replace(/^\n/, "") || "(no output)";
      return { content: [{ type: "text", text: shown }], ...error, ...sizes(whole) };
    }
    const head = cleanOutput(await readHead(command.file, policy.previewChars * 4));
    const tail = cleanOutput((await readTail(command.file, policy.previewChars)).text);
    const text = preview(whole, { head, tail }, policy) + end + hint(tail);
    return { content: [{ type: "text", text }], file: command.file, ...error, ...sizes(whole) };
  }
}

/** How programs say that the sandbox stopped them. */
const blocked =
  /read-only file system|EROFS|network is unreachable|ENETUNREACH|could not resolve|EAI_AGAIN|name resolution|getaddrinfo|resource busy|(?:\.(?:config|ssh|aws|docker|kube)\b|\/tmp\/).*no such file/i;

const sandboxNote =
  "\n[This ran in a sandbox: it writes only to the workspace and a /tmp of its own, the home folder is hidden, and " +
  "the network may be off. If that is why it failed, send it again with hosts (names), with writable " +
  "(paths) or, if it needs more than that, with sandbox: false.]";

const refusalNote = (refusals: readonly string[]): string =>
  refusals.length === 0
    ? ""
    : `\n[The sandbox refused connections: ${refusals.join(" ")} To ask the user for a public host, ` +
      "send the command again with hosts.]";

/** Throws `ToolError`. */
function nameOfHost(text: string): string {
  const name = hostName(text);
  if (name !== null) return name;
  throw new ToolError(`“${text}” is not a host such as example.com or *.example.com.`);
}

const floodNote = ({ outputBytesAtMost }: Command): string =>
  `killed because it wrote more than ${Math.floor(outputBytesAtMost / 1_000_000)} MB of output`;

const sizes = ({ bytes, lines }: { bytes: number; lines: number }) => ({ bytes, lines });

function inBackground(id: string, command: Command): ToolOutput {
  return textOutput(
    `Running in the background as ${id}. Its output goes to ${command.file}; ` +
      `read it with BashOutput {"bash_id": "${id}"}.`,
  );
}
