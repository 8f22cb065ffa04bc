/** The program in a folder of a project, without a terminal and a key. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runInProcess } from "../in-process.ts";

export type Project = ReturnType<typeof projectIn>;

/** `project` is a folder in `top`, beside the home. */
export function projectIn(top: string, project = join(top, "project")) {
  const home = join(top, "home");
  for (const folder of [home, project]) mkdirSync(folder, { recursive: true });
  const usual = { PATH: process.env["PATH"] ?? "", HOME: home };
  const put = (path: string, content: unknown): string => {
    const file = join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  };
  const run = (args: string[], { cwd = project, env = {} } = {}) =>
    runInProcess({ env: { ...usual, ...env }, project }, args, { cwd });
  return {
    project,
    home,
    trust: join(home, ".mini-claude/trust.json"),
    env: usual,
    put,
    run,
    /** Sends a prompt to the offline model; `err` has the reports, `log` what the session logged. */
    async ask(prompt = "hi", flags: string[] = [], more: Parameters<typeof run>[1] = {}) {
      const done = await run(["--offline", "-p", ...flags, prompt], more);
      const [, session = "none"] = /, session ([\w-]+)/.exec(done.err) ?? [];
      const logs = new Bun.Glob(`.mini-claude/sessions/*/${session}.jsonl`);
      const [log = ""] = [...logs.scanSync({ cwd: home, dot: true })];
      return { ...done, log: log && readFileSync(join(home, log), "utf8") };
    },
  };
}

/** What a new session in a trusted folder is told of its git. */
export async function gitTold(
  at: Project,
  where: { cwd?: string; env?: Record<string, string> } = {},
  flags: string[] = [],
): Promise<string> {
  const { log } = await at.ask("hi", ["--trust", ...flags], where);
  const [, told = ""] = /\\nGit: ([^"]*?)(?=\\n[A-Z][a-z ]+: |")/.exec(log) ?? [];
  return told.replaceAll("\\n", "\n");
}
