/** Signals to a command and all that it started. */

import { readdir, readFile } from "node:fs/promises";

/** Some process of the group still runs; one that has ended and was not yet fetched does not. */
export async function groupIsAlive(group: number): Promise<boolean> {
  try {
    process.kill(-group, 0);
  } catch {
    return false;
  }
  const processes = await listProcesses();
  if (processes.length === 0) return true;
  return processes.some((one) => one.group === group && !one.ended);
}

/**
 * Ends a group: SIGTERM, and SIGKILL for what is left after `graceMs`. Descendants that moved to a
 * group of their own are ended with it where the system shows who descends from whom.
 */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  const strays = await strayGroups(group);
  const groups = [group, ...strays];
  for (const one of groups) send(one, "SIGTERM");
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline) {
    const alive = await Promise.all(groups.map(groupIsAlive));
    if (!alive.includes(true)) return;
    await Bun.sleep(10);
  }
  for (const one of groups) send(one, "SIGKILL");
}

function send(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}

/** Groups, other than its own, that descendants of a group's leader lead. Linux only. */
async function strayGroups(leader: number): Promise<number[]> {
  const processes = await listProcesses();
  const family = new Set([leader]);
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const one of processes) {
      if (family.has(one.parent) || one.group === leader) family.add(one.id);
    }
  }
  return processes
    .filter((one) => family.has(one.id) && one.id === one.group && one.id !== leader)
    .map((one) => one.id);
}

type Process = { id: number; parent: number; group: number; ended: boolean };

/** Empty where the system does not show its processes as files. */
async function listProcesses(): Promise<Process[]> {
  const names = await readdir("/proc").catch(() => []);
  const ids = names.filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(
    ids.map(async (id) => {
      const stat = await readFile(`/proc/${id}/stat`, "utf8").catch(() => "");
      // The name in parentheses may hold anything, parentheses too.
      const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const ended = state === "Z" || state === "X";
      return { id: Number(id), parent: Number(parent), group: Number(group), ended };
    }),
  );
  return all.filter((one) => one.group > 0);
}
