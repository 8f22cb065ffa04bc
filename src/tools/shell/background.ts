/** Commands that run in the background. */

import type { BackgroundCommand } from "../../protocol/background-command.ts";
import { ToolError } from "../tool.ts";
import { cleanOutput } from "./clean-output.ts";
import type { RunningCommand, Ending } from "./command.ts";
import { readNew } from "./output-file.ts";

const maxShownBytes = 16 * 1024;

/** How often a wait looks for new output, in milliseconds. */
const pollMs = 50;

/** Size of the latest output in news and lists. */
const tailBytes = 2 * 1024;

/** A background command that ended while the model did something else. */
type EndedCommand = { title: string; text: string };

type BackgroundShell = {
  id: string;
  command: RunningCommand;
  ending: Ending | null;
  readBytes: number;
  unwatch(): void;
  /** The model has seen, or is about to see, how it ended. */
  isKnown: boolean;
};

type Wait = { ms: number; signal: AbortSignal; isEnough(text: string): Promise<boolean> };

export class BackgroundShells {
  readonly #shells = new Map<string, BackgroundShell>();
  readonly #watchers = new Set<() => void>();
  #onEnd: ((ended: EndedCommand) => void) | null = null;

  /** Calls `tell` for each command that ends unknown to the model. */
  tellEnds(tell: (ended: EndedCommand) => void): void {
    this.#onEnd = tell;
  }

  /** Adopts a running command and returns its id. `tells`: its end is reported as news. */
  add(command: RunningCommand, tells: boolean): string {
    const id = `bash_${this.#shells.size + 1}`;
    // Still watched, to end it if it writes too much.
    const shell: BackgroundShell = {
      id,
      command,
      ending: null,
      readBytes: 0,
      unwatch: command.watch(() => undefined),
      isKnown: !tells,
    };
    this.#shells.set(id, shell);
    this.#changed();
    void command.ended.then(async (ending) => {
      shell.ending = ending;
      if (!(await command.isAlive())) shell.unwatch();
      this.#changed();
      await this.#tell(shell);
    });
    return id;
  }

  /** All background commands, newest first. */
  list(): Promise<BackgroundCommand[]> {
    return Promise.all([...this.#shells.values()].reverse().map(summarize));
  }

  /** Whether any command, or a process that it left behind, still runs. */
  async isAnyAlive(): Promise<boolean> {
    for (const { command } of this.#shells.values()) if (await command.isAlive()) return true;
    return false;
  }

  /** Calls `changed` when a command begins to run in the background or ends. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  }

  #changed(): void {
    for (const changed of this.#watchers) changed();
  }

  async #tell(shell: BackgroundShell): Promise<void> {
    if (shell.isKnown || !this.#onEnd) return;
    shell.isKnown = true;
    const { text: last } = await lastOutput(shell.command.file);
    const text = `${await describe(shell)}${last === "" ? "" : ` Its last output:\n${last}`}`;
    const [line] = shell.command.text.trim().split("\n", 1);
    this.#onEnd({ title: `Background command finished: ${line}`, text });
  }

  /** Waits until the command ends, `isEnough` of its new output, or the time is up. Throws `ToolError`. */
  async wait(id: string, { ms, signal, isEnough }: Wait): Promise<void> {
    const shell = this.#get(id);
    const { isKnown } = shell;
    // Its end is then the answer to the call, not news.
    shell.isKnown = true;
    const until = performance.now() + ms;
    const from = shell.readBytes;
    let size = from;
    while (shell.ending === null && performance.now() < until && !signal.aborted) {
      const { text, to } = await readNew(shell.command.file, from, maxShownBytes);
      if (to > size && (await isEnough(cleanOutput(text)))) break;
      size = to;
      await Promise.race([shell.command.ended, Bun.sleep(pollMs)]);
    }
    shell.isKnown = shell.ending !== null || isKnown;
  }

  /** Types into the command. Throws `ToolError`. */
  async type(id: string, input: string): Promise<void> {
    const { command } = this.#get(id);
    await command.type(input).catch((error: unknown) => {
      throw error instanceof ToolError
        ? new ToolError(
            `${id} takes no input: it has ended, or was not started with run_in_background.`,
          )
        : error;
    });
  }

  /** Whether the command runs in the sandbox. Throws `ToolError`. */
  isConfined = (id: string): boolean => this.#get(id).command.kept !== null;

  /**
   * The command's output since the last call; `state`: whether it runs, or how it ended, in one
   * line. Throws `ToolError`.
   */
  async output(id: string) {
    const shell = this.#get(id);
    shell.isKnown ||= shell.ending !== null;
    const { file } = shell.command;
    const { text, from, to } = await readNew(file, shell.readBytes, maxShownBytes);
    const skippedBytes = from - shell.readBytes;
    shell.readBytes = to;
    return { state: await describe(shell), text: cleanOutput(text), skippedBytes, file };
  }

  /** Kills the command and everything it started; returns a sentence. Throws `ToolError`. */
  async kill(id: string): Promise<string> {
    const shell = this.#get(id);
    if (!(await shell.command.isAlive())) return `${await describe(shell)} It had already ended.`;
    shell.isKnown = true;
    await shell.command.end("stopped");
    shell.unwatch();
    this.#changed();
    return `Killed ${id}. Its output is in ${shell.command.file}.`;
  }

  /** Ends everything. */
  async close(): Promise<void> {
    const ended = [...this.#shells.values()].map(async (shell) => {
      shell.unwatch();
      shell.isKnown = true;
      if (await shell.command.isAlive()) await shell.command.end("stopped");
    });
    await Promise.all(ended);
  }

  #get(id: string): BackgroundShell {
    const shell = this.#shells.get(id);
    if (shell) return shell;
    const known = [...this.#shells.keys()].join(", ") || "none";
    throw new ToolError(`There is no background command ${id}. Known: ${known}.`);
  }
}

const lastOutput = (file: string): Promise<{ text: string; size: number }> =>
  readNew(file, 0, tailBytes).then(
    ({ text, size }) => ({ text: cleanOutput(text).trimEnd(), size }),
    () => ({ text: "", size: 0 }),
  );

async function summarize({ id, command, ending }: BackgroundShell): Promise<BackgroundCommand> {
  const { text, file } = command;
  const { text: last, size } = await lastOutput(file);
  const isRunning = ending === null || (await command.isAlive());
  return {
    id,
    command: text,
    isRunning,
    state: isRunning ? "running" : describeEnding(ending),
    lastLine: last.split("\n").at(-1) ?? "",
    bytes: size,
    file,
  };
}

async function describe(shell: BackgroundShell): Promise<string> {
  if (shell.ending === null) return `${shell.id} is running: ${shell.command.text}`;
  const left = (await shell.command.isAlive()) ? " Processes that it started still run." : "";
  return `${shell.id} ended (${describeEnding(shell.ending)}).${left}`;
}

export function describeEnding(ending: Ending): string {
  switch (ending.how) {
    case "exit":
      return `exit code ${ending.code}`;
    case "signal":
      return `killed by ${ending.signal}`;
    case "timeout":
      return "timed out";
    case "interrupt":
      return "interrupted by the user";
    case "stopped":
      return "killed";
    case "flood":
      return "killed because it wrote too much output";
    default:
      return ending satisfies never;
  }
}
