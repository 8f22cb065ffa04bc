/** A session in this process, and what the screen gets of it. */

import { onTestFinished } from "bun:test";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { createServices } from "../../../src/app/services/create-services.ts";
import { parseFlags } from "../../../src/config/flags.ts";
import type { LogStore } from "../../../src/log/store.ts";
import { openRun, startForProgram } from "../../../src/run/open-run.ts";
import { testFolder } from "../../folder.ts";

/** For one test file: everything is removed at its end. */
export function folders(name: string) {
  const base = testFolder(name);
  return (): { home: string; cwd: string } => {
    const home = mkdtempSync(join(base, "home-"));
    const cwd = join(home, "work/project");
    mkdirSync(cwd, { recursive: true });
    return { home, cwd };
  };
}

type OpenOptions = {
  home: string;
  cwd: string;
  args?: string[];
  env?: Record<string, string>;
  /** Written first, by their path below the home folder. */
  files?: Record<string, string>;
  /** Its owner closes it; otherwise the end of the test does. */
  isKept?: boolean;
};

export async function openServices({ home, cwd, args = [], env, files = {}, isKept }: OpenOptions) {
  for (const [path, text] of Object.entries(files)) await Bun.write(join(home, path), text);
  const all = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    MINI_CLAUDE_HOME: join(home, ".mini-claude"),
    ...env,
  };
  const start = await startForProgram(parseFlags(args), all, cwd);
  const opened = await openRun(start);
  if (!isKept) onTestFinished(async () => void (await opened.close()));
  const servicesFor = (log: LogStore) => createServices(start, log, opened.run);
  return { ...opened, services: servicesFor(opened.log), servicesFor };
}
