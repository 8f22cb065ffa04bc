/** Bounds the size of caches, snapshots and files set aside in our own folder. */

import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const dayMs = 24 * 60 * 60_000;

type PruneLimits = { maxAgeMs: number; maxBytes: number };

/** Caches of projects, files that were set aside, and snapshots of workspaces. */
const limits: Record<string, PruneLimits> = {
  caches: { maxAgeMs: 30 * dayMs, maxBytes: 4 * 1024 ** 3 },
  aside: { maxAgeMs: 30 * dayMs, maxBytes: 256 * 1024 ** 2 },
  kept: { maxAgeMs: 30 * dayMs, maxBytes: 4 * 1024 ** 3 },
  snapshots: { maxAgeMs: 90 * dayMs, maxBytes: 8 * 1024 ** 3 },
};

/**
 * Removes unused entries by age, then the oldest beyond the size limit. Entries used within a day stay:
 * a session may be using them.
 */
export async function pruneOwn(own: string, nowMs: number): Promise<void> {
  for (const [name, { maxAgeMs, maxBytes }] of Object.entries(limits)) {
    const folder = join(own, name);
    const entries = await Promise.all(
      (await listNames(folder)).map((name) => measureTime(folder, name)),
    );
    let bytes = 0;
    for (const { path, usedMs } of entries.toSorted((a, b) => b.usedMs - a.usedMs)) {
      const isInUse = usedMs > nowMs - dayMs;
      bytes += await measureBytes(path);
      if (!isInUse && (usedMs < nowMs - maxAgeMs || bytes > maxBytes))
        await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

const listNames = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

async function measureTime(folder: string, name: string) {
  const path = join(folder, name);
  return { path, usedMs: (await lstat(path).catch(() => null))?.mtimeMs ?? 0 };
}

async function measureBytes(path: string): Promise<number> {
  let bytes = 0;
  const open = [path];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const stat = await lstat(at).catch(() => null);
    bytes += stat?.size ?? 0;
    if (!stat?.isDirectory()) continue;
    for (const name of await listNames(at)) open.push(join(at, name));
  }
  return bytes;
}
