import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file that only the user can read (0600), creating its folders (0700). */
export async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600 });
}
