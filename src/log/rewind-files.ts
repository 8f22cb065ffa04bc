import { rm, writeFile } from "node:fs/promises";
import type { Checkpoints } from "./checkpoints.ts";
import type { EntryOf } from "../protocol/entry.ts";

/**
 * Puts every file back as it was before the oldest of these checkpoints touched it. A file that
 * somebody changed since the last of them is left alone, and named. Says what was done.
 */
export async function rewindFiles(
  kept: Checkpoints,
  checkpoints: readonly EntryOf<"checkpoint">[],
): Promise<string> {
  const first = new Map<string, string | null>();
  const last = new Map<string, string | null>();
  for (const { files } of checkpoints) {
    for (const { path, before, after } of files) {
      if (!first.has(path)) first.set(path, before);
      last.set(path, after);
    }
  }
  const back: string[] = [];
  const changed: string[] = [];
  for (const [path, before] of first) {
    if ((await hashOf(path)) !== (last.get(path) ?? null)) {
      changed.push(path);
      continue;
    }
    if (before === null) await rm(path, { force: true });
    else await writeFile(path, await kept.load(before));
    back.push(path);
  }
  const left =
    changed.length === 0
      ? ""
      : ` Left alone, because they were changed since: ${changed.join(", ")}.`;
  return back.length === 0
    ? `No file was put back.${left}`
    : `Put back: ${back.join(", ")}.${left}`;
}

async function hashOf(path: string): Promise<string | null> {
  const file = Bun.file(path);
  if (!(await file.exists())) return null;
  return new Bun.CryptoHasher("sha256").update(await file.arrayBuffer()).digest("hex");
}
