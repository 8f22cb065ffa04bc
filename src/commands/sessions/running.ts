/** Sessions that another process has open: in other terminals, of programs, and of their subagents. */

import { statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { UsageError } from "../../config/usage-error.ts";
import { describeSession, type SessionInfo } from "../../log/catalog.ts";
import { findHolder } from "../../log/lock.ts";
import { openLog } from "../../log/store.ts";
import { subjectOf } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";
import { describeEntry, oneLine } from "./describe.ts";

/** One line for each open session, its subagents' below it. */
export function listRunning(sessions: readonly SessionInfo[], nowMs: number): string {
  const open = sessions.filter(({ busy }) => busy);
  const names = new Set(open.map(({ session }) => session));
  const childrenOf = (name: string | null): SessionInfo[] =>
    open.filter(({ startedBy }) =>
      name === null ? startedBy === null || !names.has(startedBy) : startedBy === name,
    );
  const describe = (one: SessionInfo, depth: number): string[] => [
    `${"  ".repeat(depth)}${describeRunning(one, nowMs)}\n`,
    // Deeper than this, a damaged file names sessions in a circle.
    ...(depth < 5 ? childrenOf(one.session).flatMap((child) => describe(child, depth + 1)) : []),
  ];
  const lines = childrenOf(null).flatMap((one) => describe(one, 0));
  return lines.join("") || "Nothing runs now.\n";
}

function describeRunning({ session, file, cwd, title, changedMs }: SessionInfo, nowMs: number) {
  const holder = findHolder(file);
  const process = holder === null ? "ended" : holder.isHere ? `process ${holder.pid}` : "elsewhere";
  const since = formatAge(nowMs - changedMs);
  return [session, process, `${describeActivity(file)}, ${since}`, cwd, oneLine(title, 60)].join(
    "  ",
  );
}

function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

const readPath = (file: string): readonly Entry[] => openLog(file, { readOnly: true }).path;

/** Its latest message or result says what it does now; a question to the user is not logged. */
function describeActivity(file: string): string {
  const last = readPath(file).findLast(({ type }) =>
    ["user", "assistant", "result"].includes(type),
  );
  if (last?.type !== "assistant") return last ? "the model works" : "not begun";
  const call = last.content.findLast((block) => block.type === "tool_use");
  if (call?.type !== "tool_use") return "waits for you";
  return `in ${oneLine(`${call.name} ${subjectOf(call.input)?.text ?? ""}`, 60)}`;
}

type Tail = { lines: number; follow: boolean; out(text: string): void };

const pollMs = 250;

/** Prints the latest lines of a session; follows it until it is closed when `follow` is set. */
export async function tailSession(session: SessionInfo, { lines, follow, out }: Tail) {
  const { file } = session;
  let path = readPath(file);
  const print = (texts: readonly string[]): void => out(texts.map((text) => `${text}\n`).join(""));
  print(path.flatMap(describeEntry).slice(-lines));
  let bytes = statSync(file).size;
  while (follow && findHolder(file) !== null) {
    await setTimeout(pollMs);
    const { size } = statSync(file);
    if (size === bytes) continue;
    bytes = size;
    const seen = new Set(path.map(({ id }) => id));
    path = readPath(file);
    print(path.filter(({ id }) => !seen.has(id)).flatMap(describeEntry));
  }
}

/** Polls after which a process that was asked to end is reported as still running. */
const maxPolls = 40;

/**
 * Asks the process that has a session open to end, as closing its terminal does: what it did so far
 * is kept. Returns a sentence. Throws `UsageError` when there is no such process on this machine.
 */
export async function stopSession({ session, file }: SessionInfo): Promise<string> {
  const holder = findHolder(file);
  if (holder === null) throw new UsageError(`The session ${session} is not running.`);
  if (!holder.isHere) throw new UsageError(`The session ${session} runs on another machine.`);
  const info = await describeSession(file);
  if (info?.startedBy)
    throw new UsageError(
      `The session ${session} is a subagent of ${info.startedBy}; stop that one.`,
    );
  process.kill(holder.pid, "SIGTERM");
  for (let poll = 0; poll < maxPolls; poll++) {
    if (findHolder(file) === null) return `Stopped ${session}.\n`;
    await setTimeout(pollMs);
  }
  return `Asked process ${holder.pid} to stop ${session}; it is still working on it.\n`;
}
