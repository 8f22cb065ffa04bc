/** Sessions of given entries, exported as the screen does it. */

import { afterAll } from "bun:test";
import { join } from "node:path";
import { openLog, writeSession } from "../../../src/log/store.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { folders, openServices } from "./open.ts";

/** For one test file. `exportTo` returns the path of the file. */
export async function openExports(name: string) {
  const { home, cwd } = folders(name)();
  const opened = await openServices({ home, cwd, args: ["--offline"], isKept: true });
  afterAll(opened.close);
  let serial = 0;
  async function exportTo(file: string, path: readonly Entry[]): Promise<string> {
    const log = join(home, `${++serial}.jsonl`);
    writeSession(log, path, 0);
    const services = opened.servicesFor(openLog(log, { readOnly: true }));
    return (await services.exportSession?.(file)) ?? "";
  }
  const exported = async (ending: string, path: readonly Entry[]): Promise<string> =>
    Bun.file(await exportTo(`${serial}.${ending}`, path)).text();
  return { cwd, exportTo, exported };
}
