import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for one test file's logs, gone when it is done. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "mini-claude-log-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
