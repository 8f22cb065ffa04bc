/** Runs that are opened in this process, each in a new folder, against the strict fake API. */

import { afterAll, beforeEach } from "bun:test";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { parseFlags } from "../../src/config/flags.ts";
import { blockText } from "../../src/protocol/block.ts";
import type { AgentCommand } from "../../src/protocol/command.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { openRun, startForProgram, type OpenRun } from "../../src/run/open-run.ts";
import { call, startFakeApi, type Answer, type FakeApiOptions } from "../fake-api/index.ts";
import { testFolder } from "../folder.ts";

type More = Parameters<typeof openRun>[1] & { env?: Record<string, string>; cwd?: string };

/** For one test file. */
export function openedRuns(name: string, options: FakeApiOptions = {}) {
  const base = testFolder(name);
  const api = startFakeApi(options);
  afterAll(() => api.stop());
  let cwd = "";
  let user = "";
  const findHome = (): string => join(user, ".mini-claude");
  beforeEach(() => {
    cwd = mkdtempSync(join(base, "project-"));
    user = mkdtempSync(join(base, "user-"));
  });
  const start = (args: string[] = [], env: Record<string, string> = {}, at = cwd) => {
    const keys = { ANTHROPIC_API_KEY: "sk-ant-test", ANTHROPIC_BASE_URL: api.url };
    const PATH = process.env["PATH"] ?? "";
    const all = { PATH, HOME: user, MINI_CLAUDE_HOME: findHome(), ...keys, ...env };
    return startForProgram(parseFlags(args), all, at);
  };
  /** `answers`: of the next calls. */
  async function open(args: string[] = [], answers: Answer[] = [], more: More = {}) {
    api.next(...answers);
    const { env, cwd: at, ...options } = more;
    return openRun(await start(args, env, at), options);
  }
  return {
    api,
    base,
    get cwd() {
      return cwd;
    },
    /** The user's home folder. */
    get user() {
      return user;
    },
    /** The program's own folder in it. */
    get home() {
      return findHome();
    },
    /** `files`: by path, which begins with "user/" or "project/". */
    async write(files: Record<string, string>): Promise<void> {
      for (const [path, text] of Object.entries(files)) {
        const [root, ...rest] = path.split("/");
        await Bun.write(join(root === "user" ? user : cwd, ...rest), text);
      }
    },
    start,
    open,
    /** One turn of a run that is then closed. */
    async once(
      args: string[],
      answers: Answer[],
      { on, ...more }: More & { on?: (event: AgentEvent, opened: OpenRun) => void } = {},
    ) {
      const opened = await open(args, answers, more);
      const events = await turn(opened, prompt("go"), (event) => on?.(event, opened));
      await opened.close();
      return { ...opened, events };
    },
    /** The latest request. */
    sent: () => api.requests.at(-1)?.body,
    /** The first request whose first message has these words, such as the task of a subagent. */
    sentTo: (words: string) =>
      api.requests.find(({ body }) => JSON.stringify(body?.messages[0] ?? "").includes(words))
        ?.body,
  };
}

/** Sends a command and returns the events up to the end of the turn. */
export async function turn(
  { send, events }: OpenRun,
  command: AgentCommand,
  on: (event: AgentEvent) => void = () => undefined,
): Promise<AgentEvent[]> {
  const seen: AgentEvent[] = [];
  send(command);
  for (;;) {
    const { value, done } = await events.next();
    if (done) return seen;
    seen.push(value);
    on(value);
    if (value.type === "idle") return seen;
  }
}

export const prompt = (text: string): AgentCommand => ({
  type: "prompt",
  content: [{ type: "text", text }],
});

/** An answer that gives a subagent a task. */
export const task = (words: string, more = {}) => ({
  content: [call("Agent", { description: "Work", prompt: words, ...more })],
});

/** What the model is told besides messages and results. */
export const told = (path: readonly Entry[]): string =>
  path.flatMap((entry) => (entry.type === "context" ? [blockText(entry.content)] : [])).join("\n");
