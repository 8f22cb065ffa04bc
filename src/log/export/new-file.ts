import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { mkdir, open, rm, writeFile, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { disk, publish } from "../../base/durable.ts";

/**
 * Makes a file that only the user can read and that is never seen half-written: it is written under
 * another name beside it. Returns false when there is such a file already, which is left unchanged.
 * Passes on what `write` or the file system throws.
 */
export async function writeNewFile(
  file: string,
  write: (handle: FileHandle) => Promise<void>,
): Promise<boolean> {
  if (existsSync(file)) return false;
  const part = join(dirname(file), `.mini-claude-${randomBytes(8).toString("hex")}.part`);
  const remove = (): void => rmSync(part, { force: true });
  // The user may quit before it is finished.
  process.on("exit", remove);
  try {
    await using handle = await open(part, "wx", 0o600);
    await write(handle);
    await disk.fdatasync(handle.fd);
    if (existsSync(file)) return false;
    publish(part, file);
    return true;
  } finally {
    process.off("exit", remove);
    await rm(part, { force: true });
  }
}

/** Writes a file that only the user can read (0600), creating its folders (0700). */
export async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600 });
}
