import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary folder, removed after the test file. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "mini-claude-log-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
