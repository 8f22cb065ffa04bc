/** Appends as fast as possible until killed, and prints what was acknowledged. */

import { writeSync } from "node:fs";
import { openLog, createLog } from "../../src/log/store.ts";
import { basename, dirname } from "node:path";
import { existsSync } from "node:fs";

const [file = ""] = process.argv.slice(2);
const log = existsSync(file) ? openLog(file) : createLog(dirname(file), basename(file, ".jsonl"));
writeSync(1, `opened ${log.repairs.length}\n`);
let seed = process.pid;
const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
let waiting: Promise<void>[] = [];
for (;;) {
  const text = "x".repeat(Math.floor(random() * 20_000)) + seed;
  const hash = Bun.hash(text).toString(36);
  waiting.push(
    log
      .append({ type: "user", content: [{ type: "text", text }] })
      .then(({ id }) => void writeSync(1, `${id} ${hash}\n`)),
  );
  if (random() < 0.3) {
    await Promise.all(waiting);
    waiting = [];
  }
}
