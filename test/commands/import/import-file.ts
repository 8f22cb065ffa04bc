import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { disk } from "../../../src/base/durable.ts";
import { runImport } from "../../../src/commands/import/import.ts";
import { openLog } from "../../../src/log/store.ts";
import type { Entry } from "../../../src/protocol/entry.ts";

/** The entries that a file is imported as; null when no session is found in it. */
export function importFile(path: string): Entry[] | null {
  const sessions = mkdtempSync(join(tmpdir(), "imported-"));
  // Hundreds of imports would wait for the disk.
  const { fsync } = disk;
  disk.fsync = () => undefined;
  const io = {
    out: () => undefined,
    err: () => undefined,
    cwd: sessions,
    paths: { sessions },
  };
  try {
    runImport([path], io, { system: "", tools: [], model: "m" });
    const [log] = new Bun.Glob("*/*.jsonl").scanSync({ cwd: sessions, absolute: true });
    return log === undefined ? null : [...openLog(log, { readOnly: true }).entries];
  } finally {
    disk.fsync = fsync;
    rmSync(sessions, { recursive: true });
  }
}
