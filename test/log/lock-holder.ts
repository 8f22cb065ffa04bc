/** Opens a log for writing and holds it until standard input ends. */

import { createLog, openLog } from "../../src/log/store.ts";
import { basename, dirname } from "node:path";
import { existsSync, writeSync } from "node:fs";

const [file = ""] = process.argv.slice(2);
try {
  const log = existsSync(file) ? openLog(file) : createLog(dirname(file), basename(file, ".jsonl"));
  writeSync(1, "held\n");
  await Bun.stdin.text();
  await log.close();
} catch (error) {
  writeSync(1, `${error instanceof Error ? error.message : error}\n`);
}
