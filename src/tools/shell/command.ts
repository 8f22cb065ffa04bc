/** One running command: its process group, and the file that all its output goes to. */

import { constants } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { shellQuote } from "../../base/shell-quote.ts";
import { createResult } from "../results.ts";
import { ToolError } from "../tool.ts";
import { describeError } from "../workspace.ts";
import { cleanOutput } from "./clean-output.ts";
import type { Launch } from "./launch.ts";
import { readNew } from "./output-file.ts";
import { endGroup, groupIsAlive, groupStays } from "./process-group.ts";
import { leadsGroup, signalGroup } from "../../base/signals.ts";

export type ShellSettings = {
  resultsDir: string;
  /** How often output is checked, in milliseconds. */
  progressMs: number;
  /** Between SIGTERM and SIGKILL, in milliseconds. */
  graceMs: number;
  /** A command that writes more is ended. */
  maxOutputBytes: number;
};

export type Ending =
  | { how: "exit"; code: number }
  | { how: "signal"; signal: string }
  | { how: "timeout" | "interrupt" | "stopped" | "flood" };

const tailBytes = 4096;

/** The longest path of Linux, with its end. */
const maxPathBytes = 4096;

/** Git Bash prints C:/Users only when asked to; its own /c/Users is no folder of Windows. */
const printFolder = process.platform === "win32" ? "pwd -W" : "pwd -P";

/** Linux passes a program at most 128 KB in one word. */
const maxCommandBytes = 100_000;

/** Throws `ToolError` when it cannot be started. */
export async function startCommand(
  text: string,
  where: { cwd: string; ms: number; id: string; takesInput: boolean },
  settings: ShellSettings,
  prepare: (cwdFile: string) => Promise<Launch>,
): Promise<RunningCommand> {
  if (text.includes("\0")) throw new ToolError("The command contains a null byte.");
  const bytes = Buffer.byteLength(text);
  if (bytes > maxCommandBytes)
    throw new ToolError(
      `The command has ${bytes.toLocaleString("en")} bytes; write a script with Write and run that.`,
    );
  const name = { ms: where.ms, tool: "Bash", id: where.id };
  const { file, handle } = await createOutput(settings.resultsDir, name);
  const cwdFile = `${file}.cwd`;
  let launch: Launch | null = null;
  const spawn = (prepared: Launch, output: number): Started => {
    // The trap runs however the shell ends, and records its folder.
    const ending = `${printFolder} > ${shellQuote(cwdFile)}`;
    const script = `: > ${shellQuote(cwdFile)}\ntrap ${shellQuote(ending)} EXIT\n${prepared.source}\n`;
    // With a socket as its input, bash takes itself for a remote shell and reads its startup file.
    const plain = /[\\/]bash(?:\.exe)?$/.test(prepared.shell.at(-1) ?? "") ? ["--norc"] : [];
    const child = Bun.spawn([...prepared.shell, ...plain, "-c", script], {
      cwd: where.cwd,
      env: prepared.env,
      stdin: where.takesInput ? "pipe" : "ignore",
      stdout: output,
      stderr: output,
      ...leadsGroup,
    });
    return { child, launch: prepared };
  };
  try {
    const empty = await open(cwdFile, "wx", 0o600);
    // The shell sets its time when it begins.
    await empty.utimes(0, 0).finally(() => empty.close());
    launch = await prepare(cwdFile);
    const first = spawn(launch, handle.fd);
    /** Files to hide may vanish before the sandbox starts: rebuilds it once. */
    const again = async (): Promise<Started | null> => {
      const hasBegun = await stat(cwdFile).then(
        ({ mtimeMs }) => mtimeMs > 0,
        () => true,
      );
      if (hasBegun || first.launch.kept === null) return null;
      await using output = await open(file, "w");
      return spawn(await prepare(cwdFile), output.fd);
    };
    return running(text, { file, cwdFile }, { first, again }, settings);
  } catch (error) {
    launch?.gate?.close();
    await Promise.all([file, cwdFile].map((path) => rm(path, { force: true })));
    if (error instanceof ToolError) throw error;
    throw new ToolError(`The command could not be started (${describeError(error)}).`);
  } finally {
    await handle.close();
  }
}

/** In the folder for results; where that cannot be written, in one for temporary files. */
async function createOutput(dir: string, name: Parameters<typeof createResult>[1]) {
  const other = join(tmpdir(), `mini-claude-results-${process.getuid?.() ?? "user"}`);
  try {
    return await createResult(dir, name);
  } catch (error) {
    return await createResult(other, name).catch(() => {
      throw new ToolError(
        `The output of a command cannot be saved: ${dir} cannot be written (${describeError(error)}), nor can ${other}. Make one of them writable, or free space.`,
      );
    });
  }
}

type Started = { child: Bun.Subprocess<"ignore" | "pipe", number, number>; launch: Launch };

export type RunningCommand = ReturnType<typeof running>;

function running(
  text: string,
  { file, cwdFile }: { file: string; cwdFile: string },
  { first, again }: { first: Started; again(): Promise<Started | null> },
  { progressMs, graceMs, maxOutputBytes }: ShellSettings,
) {
  let { child, launch } = first;
  const { endsChildren, newHomeFiles, kept } = launch;
  let hasEnded = false;
  let isGone = false;
  let cause: Ending | null = null;
  let ending: Promise<void> | null = null;

  async function ended(): Promise<Ending> {
    await child.exited;
    if (child.exitCode !== 0 && cause === null) {
      const second = await again().catch(() => null);
      if (second !== null) launch.gate?.close();
      ({ child, launch } = second ?? { child, launch });
      await child.exited;
    }
    launch.gate?.close();
    await ending;
    hasEnded = true;
    if (cause) return cause;
    return child.signalCode === null
      ? { how: "exit", code: child.exitCode ?? 0 }
      : { how: "signal", signal: String(child.signalCode) };
  }

  async function ask(isAlive: (group: number) => Promise<boolean>): Promise<boolean> {
    if (isGone || (endsChildren && hasEnded)) return false;
    // Once nothing is left, nothing can follow.
    isGone = !(await isAlive(child.pid)) && launch.strays().length === 0;
    return !isGone;
  }

  function end(how: "timeout" | "interrupt" | "stopped" | "flood"): Promise<void> {
    cause ??= { how };
    ending ??= endGroup(child.pid, graceMs, launch.strays);
    return ending;
  }

  return {
    text,
    file,
    kept,
    /** Resolves when the shell ends; processes left in its group may continue. */
    ended: ended(),

    /** Why connections were refused, a sentence for each host. */
    refusals: (): readonly string[] => launch.gate?.refusals() ?? [],

    newHomeFiles,

    /** Whether any process of the group still runs, including background processes. */
    isAlive: () => ask(groupIsAlive),

    /** `isAlive` after a short wait. */
    staysAlive: () => ask(groupStays),

    /** Kills the process group; `ended` then has the reason. */
    end,

    /** Types a text, in which ^C interrupts and ^D ends the input. Throws `ToolError`. */
    async type(input: string): Promise<void> {
      const { stdin } = child;
      if (!stdin || hasEnded) throw new ToolError("It takes no input.");
      // eslint-disable-next-line no-control-regex
      for (const part of input.split(/([\x03\x04])/)) {
        if (part === "\x03") signalGroup(child.pid, "SIGINT");
        else if (part === "\x04") await stdin.end();
        else if (part !== "") stdin.write(part);
      }
      await stdin.flush();
    },

    /** Calls `tell` while the output grows, until the returned function is called. */
    watch(tell: (tail: string, bytes: number) => void): () => void {
      let known = 0;
      let looking = false;
      const look = async () => {
        if (looking) return;
        looking = true;
        try {
          // Most checks find nothing new, and a read waits for the writer.
          if ((await stat(file)).size === known) return;
          const { text: output, size } = await readNew(file, 0, tailBytes);
          if (size > maxOutputBytes) void end("flood");
          tell(cleanOutput(output), size);
          known = size;
        } catch {
          // Gone or unreadable: there is nothing new to report.
        } finally {
          looking = false;
        }
      };
      const timer = setInterval(() => void look(), progressMs);
      return () => clearInterval(timer);
    },

    /** The shell's folder when it ended; null when it could not record it. Can be read once. */
    async finalCwd(): Promise<string | null> {
      try {
        const handle = await open(cwdFile, constants.O_RDONLY | constants.O_NOFOLLOW);
        // The command could have written anything to it.
        const written = await handle
          .read(Buffer.alloc(maxPathBytes), 0, maxPathBytes, 0)
          .finally(() => handle.close());
        await rm(cwdFile, { force: true });
        const text = written.buffer.toString("utf8", 0, written.bytesRead);
        const folder = /^((?:[A-Z]:)?\/[^\0\n]*)\n$/.exec(text)?.[1];
        return folder !== undefined && isAbsolute(folder) ? folder : null;
      } catch {
        return null;
      }
    },
  };
}
