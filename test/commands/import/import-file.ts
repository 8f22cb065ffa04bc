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
  let said = "";
  const io = {
    out: (text: string) => void (said += text),
    err: () => undefined,
    progress: () => undefined,
    cwd: sessions,
    paths: { sessions },
  };
  try {
    runImport(["--json", path], io, { system: "", tools: [], model: "m" });
    const { log } = JSON.parse(said);
    return typeof log === "string" ? [...openLog(log, { readOnly: true }).entries] : null;
  } finally {
    disk.fsync = fsync;
    rmSync(sessions, { recursive: true });
  }
}
