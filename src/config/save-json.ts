import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Replaces a file of the user's, which only they can read (0600). Throws what the disk throws. */
export const saveJson = (file: string, value: unknown): void =>
  saveText(file, `${JSON.stringify(value, null, 2)}\n`);

/** The same for a text. */
export function saveText(file: string, text: string): void {
  const part = `${file}.${process.pid}.part`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(part, text, { mode: 0o600 });
    renameSync(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}
