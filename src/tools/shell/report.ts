import { rm, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { isBinary, preview } from "../../context/tiers/persist.ts";
import { sandboxNotes } from "../../trust/sandbox/notes.ts";
import type { ResultPolicy } from "../results.ts";
import { textOutput, type ToolOutput } from "../tool.ts";
import { describeEnding } from "./background.ts";
import { cleanOutput } from "./clean-output.ts";
import type { Ending, RunningCommand } from "./command.ts";
import { measure, readHead, readNew } from "./output-file.ts";

/** Longer output is not read as a whole. */
const maxCleanedBytes = 4 * 1024 * 1024;

type ReportOptions = {
  timedOut: string;
  notes: string;
  /** The folder in which the command started. */
  cwd: string;
  homeFiles: readonly string[];
};

/** The result of a command that has ended. */
export async function report(
  command: RunningCommand,
  ending: Ending,
  { timedOut, notes, cwd, homeFiles }: ReportOptions,
  policy: ResultPolicy,
): Promise<ToolOutput> {
  const size = await measure(command.file);
  const failed = ending.how !== "exit" || ending.code !== 0;
  const how = ending.how === "timeout" ? timedOut : describeEnding(ending);
  // A command may succeed although its output was lost.
  const full = (await isDiskFull(command.file)) ? `\n${diskFullNote(command.file)}` : "";
  const end = (failed ? `\n[${how}]` : "") + full + notes;
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
  const tail = cleanOutput((await readNew(command.file, 0, policy.previewChars)).text);
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
