import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "../../src/agent/agent.ts";
import { Compactor } from "../../src/agent/compaction/compactor.ts";
import { createTurnBoundaries } from "../../src/agent/turn-boundaries.ts";
import { AsyncQueue } from "../../src/agent/async-queue.ts";
import { Checkpoints } from "../../src/log/checkpoints.ts";
import { createLog } from "../../src/log/store.ts";
import { createAnthropicClient } from "../../src/model/anthropic.ts";
import type { Command } from "../../src/protocol/command.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { createToolbox } from "../../src/tools/toolbox.ts";
import { instantClock } from "../instant-clock.ts";
import { quietBoundaries } from "./quiet-boundaries.ts";

type Options = {
  stallMs?: number;
  now?: () => number;
  /** Cuts are made as in a real session; else never. */
  compacts?: boolean;
  policy?: Partial<Policy>;
};

/**
 * The agent with the real client, the real tools and the real log, against a server on loopback.
 * Waits are counted, not waited for.
 */
export async function workbench(
  baseUrl: string,
  { now = Date.now, compacts = false, policy: changes, ...options }: Options = {},
) {
  const policy: Policy = { ...defaultPolicy, ...changes };
  const root = await mkdtemp(join(tmpdir(), "bench-"));
  const folder = join(root, "work");
  await Bun.write(join(folder, "notes.txt"), "one\ntwo\n");
  const log = createLog(join(root, "sessions"), "bench");
  const model = createAnthropicClient({ apiKey: "sk-ant-test", baseUrl, ...options });
  const waits: number[] = [];
  const clock = instantClock(now, waits);
  const toolbox = await createToolbox({
    workspace: folder,
    addedFolders: [],
    resultsDir: join(root, "home", "tool-results"),
    policy,
    mode: "accept-edits",
    childEnv: { PATH: "/usr/bin:/bin", HOME: root },
    clock,
    checkpoint: new Checkpoints(join(root, "home", "checkpoints")),
  });
  const agent = createAgent({
    log,
    model,
    toolbox,
    policy,
    rules: await model.rules("claude-sonnet-5-5"),
    clock,
    boundaries: (session) => {
      if (!compacts) return quietBoundaries;
      const readFile = (path: string): Promise<string> => Bun.file(path).text();
      return createTurnBoundaries(
        session,
        new Compactor({ session, model: () => model, readFile, clock }),
      );
    },
    opening: async () =>
      log.path.length > 0
        ? []
        : [
            {
              type: "session",
              version: 1,
              session: "bench",
              cwd: folder,
              model: "claude-sonnet-5-5",
              system: "You are a test.",
              tools: toolbox.definitions,
            },
          ],
    rewindFiles: async () => "",
  });

  /** Sends a prompt and gives every event up to the end of its turn. */
  async function ask(
    text: string,
    on?: (event: AgentEvent, send: (command: Command) => void) => void,
  ) {
    const commands = new AsyncQueue<Command>();
    commands.push({ type: "prompt", content: [{ type: "text", text }] });
    const events: AgentEvent[] = [];
    for await (const event of agent.run(commands)) {
      events.push(event);
      on?.(event, (command) => commands.push(command));
      if (event.type === "idle") commands.close();
    }
    return events;
  }

  async function close(): Promise<void> {
    await toolbox.close();
    await log.close();
    await rm(root, { recursive: true, force: true });
  }

  return { ask, log, waits, folder, close };
}
