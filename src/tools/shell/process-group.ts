/** Signals a command and all of its descendants. */

import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { attempt } from "../../base/guards.ts";
import { groupExists, signalGroup } from "../../base/signals.ts";

/** Whether some process of these groups still runs; a zombie does not count. */
async function areAlive(groups: readonly number[]): Promise<boolean> {
  if (!groups.some(groupExists)) return false;
  const processes = await listProcesses();
  if (processes.length === 0) return true;
  return processes.some(({ group, ended }) => groups.includes(group) && !ended);
}

export const groupIsAlive = (group: number): Promise<boolean> => areAlive([group]);

/** Whether the group is still alive after a grace period of 250 ms: helpers often exit just after the command. */
export async function groupStays(group: number): Promise<boolean> {
  for (let ms = 1; ms <= 128; ms *= 2) {
    if (!groupExists(group)) return false;
    await Bun.sleep(ms);
    if (!(await groupIsAlive(group))) return false;
  }
  return true;
}

/**
 * Ends a group: SIGTERM, then SIGKILL after `graceMs`. Includes descendants in groups of their own,
 * where the system shows parents, and the groups of `strays`.
 */
export async function endGroup(
  group: number,
  graceMs: number,
  strays: () => readonly number[] = () => [],
): Promise<void> {
  const processes = await listProcesses();
  const adopted = strays().flatMap((id) => [id, readProcess(id)?.group ?? id]);
  const known = [group, ...adopted].flatMap((leader) => [
    leader,
    ...strayGroups(leader, processes),
  ]);
  const groups = [...new Set(known)];
  for (const leader of groups) signalGroup(leader, "SIGTERM");
  const deadline = performance.now() + graceMs;
  for (let ms = 5; await areAlive(groups); ms = Math.min(2 * ms, 80)) {
    if (performance.now() >= deadline) {
      for (const leader of groups) signalGroup(leader, "SIGKILL");
      return;
    }
    await Bun.sleep(ms);
  }
}

/** Process groups led by descendants of a group's leader. Linux only. */
function strayGroups(leader: number, processes: readonly SystemProcess[]): number[] {
  const family = new Set([leader]);
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const member of processes) {
      if (family.has(member.parent) || member.group === leader) family.add(member.id);
    }
  }
  return processes
    .filter((member) => family.has(member.id) && member.id === member.group && member.id !== leader)
    .map((member) => member.id);
}

type SystemProcess = { id: number; parent: number; group: number; ended: boolean };

/** Reads one file per process; empty without /proc. */
async function listProcesses(): Promise<SystemProcess[]> {
  const names = await readdir("/proc").catch(() => []);
  const ids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return ids.flatMap((id) => readProcess(id) ?? []);
}

/** The number of threads, counted from the state: field 20 of proc_pid_stat(5). */
const threadsAt = 17;

/** Null: the process has exited. Synchronous: /proc is faster than a thread switch. */
export function readProcess(id: number): SystemProcess | null {
  const stat = attempt(() => readFileSync(`/proc/${id}/stat`, "utf8"), "");
  // The name in parentheses may contain any character, even parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  // A process whose first thread has ended is shown as a zombie while the others run.
  const ended = state === "X" || (state === "Z" && Number(fields[threadsAt]) <= 1);
  const found = { id, parent: Number(parent), group: Number(group), ended };
  return found.group > 0 ? found : null;
}

/** Set for every command, to identify processes that it leaves behind. */
export const markVariable = "MINI_CLAUDE_COMMAND";

/** Marks processes that an unconfined command leaves behind, as long as they keep their environment. */
export const unconfinedMark = crypto.randomUUID();

/** Longer than an exec takes. */
const execMs = 20;

/** Processes that commands outside the sandbox left running, such as "sleep (4711)". Linux only. */
export async function leftRunning(mark = unconfinedMark): Promise<string[]> {
  const ids = (await listProcesses()).filter(({ ended }) => !ended).map(({ id }) => id);
  const read = (path: string): string => attempt(() => readFileSync(`/proc/${path}`, "utf8"), "");
  const isMarked = (id: number): boolean => read(`${id}/environ`).includes(mark);
  const marked = new Set(ids.filter(isMarked));
  // During an exec, the environment of a process is empty.
  const unread = ids.filter((id) => read(`${id}/environ`) === "");
  if (unread.length > 0) await Bun.sleep(execMs);
  return ids
    .filter((id) => marked.has(id) || (unread.includes(id) && isMarked(id)))
    .map((id) => `${read(`${id}/comm`).trim()} (${id})`);
}
