/** One running command: its process group, and the file that all its output goes to. */

import { constants } from "node:fs";
import { open, readFile, rm, stat } from "node:fs/promises";
import { shellQuote } from "../../protocol/shell-quote.ts";
import { createResult } from "../results.ts";
import { ToolError } from "../tool.ts";
import { codeOf } from "../workspace.ts";
import { cleanOutput } from "./clean-output.ts";
import type { HostProxy } from "../sandbox/network/host-proxy.ts";
import type { Launch } from "./launch.ts";
import { readTail } from "./output-file.ts";
import { endGroup, groupIsAlive, groupStays } from "./process-group.ts";

export type ShellSettings = {
  resultsDir: string;
  /** How often output is looked at, in milliseconds. */
  progressMs: number;
  /** Between SIGTERM and SIGKILL, in milliseconds. */
  graceMs: number;
};

export type Ending =
  | { how: "exit"; code: number }
  | { how: "signal"; signal: string }
  | { how: "timeout" | "interrupt" | "stopped" | "flood" };

const tailBytes = 4096;
const commandCharsAtMost = 100_000;

export class Command {
  readonly text: string;
  readonly file: string;
  readonly group: number;
  readonly confined: boolean;
  readonly #proxy: HostProxy | null;
  readonly #endsChildren: boolean;
  readonly outputBytesAtMost: number;
  /** Resolves once the shell has ended; what it left running in its group may go on. */
  readonly ended: Promise<Ending>;
  readonly #cwdFile: string;
  readonly #settings: ShellSettings;
  #hasEnded = false;
  #isGone = false;
  #cause: Ending | null = null;
  #ending: Promise<void> | null = null;

  private constructor(
    text: string,
    file: string,
    child: Bun.Subprocess<"ignore", number, number>,
    settings: ShellSettings,
    launch: Launch,
  ) {
    this.text = text;
    this.file = file;
    this.group = child.pid;
    this.#settings = settings;
    this.outputBytesAtMost = launch.outputBytesAtMost;
    this.confined = launch.confined;
    this.#proxy = launch.proxy;
    this.#endsChildren = launch.endsChildren;
    this.#cwdFile = `${file}.cwd`;
    this.ended = child.exited.then(async () => {
      this.#hasEnded = true;
      this.#proxy?.close();
      await this.#ending;
      if (this.#cause) return this.#cause;
      return child.signalCode === null
        ? { how: "exit", code: child.exitCode ?? 0 }
        : { how: "signal", signal: String(child.signalCode) };
    });
  }

  /** Throws `ToolError` when it cannot be started. */
  static async start(
    text: string,
    where: { cwd: string; ms: number; id: string },
    settings: ShellSettings,
    prepare: (cwdFile: string) => Promise<Launch>,
  ): Promise<Command> {
    if (text.includes("\0")) throw new ToolError("The command holds a null byte.");
    if (text.length > commandCharsAtMost) {
      throw new ToolError(
        `The command has ${text.length} characters; write a script with Write and run that.`,
      );
    }
    const name = { ms: where.ms, tool: "Bash", id: where.id };
    const { file, handle } = await createResult(settings.resultsDir, name);
    const cwdFile = `${file}.cwd`;
    let launch: Launch | null = null;
    try {
      await (await open(cwdFile, "wx", 0o600)).close();
      launch = await prepare(cwdFile);
      // The trap runs however the shell ends, and records its folder.
      const script = `trap ${shellQuote(`pwd -P > ${shellQuote(cwdFile)}`)} EXIT\n${launch.source}\n`;
      const child = Bun.spawn([...launch.shell, "-c", script], {
        cwd: where.cwd,
        env: launch.env,
        stdin: "ignore",
        stdout: handle.fd,
        stderr: handle.fd,
        detached: true,
      });
      return new Command(text, file, child, settings, launch);
    } catch (error) {
      launch?.proxy?.close();
      await Promise.all([file, cwdFile].map((path) => rm(path, { force: true })));
      if (error instanceof ToolError) throw error;
      throw new ToolError(`The command could not be started (${codeOf(error)}).`);
    } finally {
      await handle.close();
    }
  }

  /** Why connections were refused, a sentence for each host. */
  get refusals(): readonly string[] {
    return this.#proxy?.refusals() ?? [];
  }

  /** Something of it is still running, be it only what it left in the background. */
  isAlive(): Promise<boolean> {
    return this.#ask(groupIsAlive);
  }

  /** The same after a short patience. */
  staysAlive(): Promise<boolean> {
    return this.#ask(groupStays);
  }

  async #ask(isAlive: (group: number) => Promise<boolean>): Promise<boolean> {
    if (this.#isGone || (this.#endsChildren && this.#hasEnded)) return false;
    // Once it is empty, nothing can join it.
    this.#isGone = !(await isAlive(this.group));
    return !this.#isGone;
  }

  /** Ends all of its group; `ended` then tells why. */
  end(how: "timeout" | "interrupt" | "stopped" | "flood"): Promise<void> {
    this.#cause ??= { how };
    this.#ending ??= endGroup(this.group, this.#settings.graceMs);
    return this.#ending;
  }

  /** Calls `tell` while the output grows, until the returned function is called. */
  watch(tell: (tail: string, bytes: number) => void): () => void {
    let known = 0;
    let looking = false;
    const look = async () => {
      if (looking) return;
      looking = true;
      try {
        // Most looks find nothing new, and reading waits for whoever writes.
        if ((await stat(this.file)).size === known) return;
        const { text, size } = await readTail(this.file, tailBytes);
        if (size > this.outputBytesAtMost) void this.end("flood");
        tell(cleanOutput(text), size);
        known = size;
      } catch {
        // Gone or unreadable: there is nothing new to tell.
      } finally {
        looking = false;
      }
    };
    const timer = setInterval(() => void look(), this.#settings.progressMs);
    return () => clearInterval(timer);
  }

  /** Where the shell stood when it ended; null when it could not tell. Can be asked once. */
  async finalCwd(): Promise<string | null> {
    try {
      const handle = await open(this.#cwdFile, constants.O_RDONLY | constants.O_NOFOLLOW);
      const text = await readFile(handle, "utf8").finally(() => handle.close());
      await rm(this.#cwdFile, { force: true });
      return text.replace(/\n$/, "") || null;
    } catch {
      return null;
    }
  }
}
