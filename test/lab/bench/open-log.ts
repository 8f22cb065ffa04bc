/**
 * Opens a log in a process of its own: `bun test/lab/bench/open-log.ts FILE`. Prints the milliseconds of
 * CPU that reading the file's bytes takes, and opening it, and the megabytes that it then keeps.
 */

import { openLog } from "../../../src/log/store.ts";

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const [file = ""] = process.argv.slice(2);
const start = cpuMs();
await Bun.file(file).bytes();
const readMs = cpuMs() - start;
Bun.gc(true);
const before = process.memoryUsage().heapUsed;
const openFrom = cpuMs();
const log = openLog(file);
const openMs = cpuMs() - openFrom;
Bun.gc(true);
const megabytes = (process.memoryUsage().heapUsed - before) / 1e6;
await log.close();
console.log(JSON.stringify({ readMs, openMs, megabytes }));
