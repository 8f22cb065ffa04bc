/** The agent with the real tools, log and checkpoints, in a folder of its own. */

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createAgent } from "../../src/agent/agent.ts";
import { AsyncQueue } from "../../src/base/async-queue.ts";
import { createTurnBoundaries } from "../../src/agent/compaction/at-boundary.ts";
import { Checkpoints } from "../../src/log/checkpoints.ts";
import { createLog } from "../../src/log/store.ts";
import type { ModelClient } from "../../src/model/client.ts";
import type { Clock } from "../../src/base/clock.ts";
import type { AgentCommand } from "../../src/protocol/command.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import type { PermissionMode } from "../../src/protocol/permission.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { createToolbox } from "../../src/tools/toolbox.ts";
import { folderWithBun } from "../bin.ts";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";
import { sessionWith } from "../facts.ts";
import { quietBoundaries } from "../agent/quiet-boundaries.ts";

type Options = {
  model: ModelClient;
  modelName: string;
  clock: Clock;
  /** Files of the folder, by their path. */
  files: Record<string, string>;
  policy?: Partial<Policy>;
  mode?: PermissionMode;
  /** Cuts are made as in a real session (the default), or never. */
  compacts?: boolean;
};

export async function realAgent({ model, modelName, clock, files, ...options }: Options) {
  const policy: Policy = { ...defaultPolicy, ...options.policy };
  const root = await mkdtemp(join(tmpdir(), "agent-"));
  const folder = join(root, "work");
  await mkdir(folder);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await Bun.write(join(folder, path), text);
  }
  const log = createLog(join(root, "sessions"), "real");
  const toolbox = await createToolbox({
    workspace: folder,
    addedFolders: [],
    resultsDir: join(root, "home", "tool-results"),
    policy,
    mode: options.mode ?? "default",
    childEnv: { PATH: `${await folderWithBun(root)}:${process.env["PATH"]}`, HOME: root },
    clock,
    checkpoint: new Checkpoints(join(root, "home", "checkpoints")),
    scripts: false,
  });
  const readFile = (path: string): Promise<string> => Bun.file(path).text();
  const hooks = hooksWith();
  const system = "You are a coding agent.";
  const { definitions: tools } = toolbox;
  const opening = { ...sessionWith(), cwd: folder, model: modelName, system, tools };
  const agent = createAgent({
    log,
    hooks,
    model,
    toolbox,
    policy,
    rules: await model.rules(modelName),
    clock,
    boundaries: (session) =>
      options.compacts === false
        ? quietBoundaries
        : createTurnBoundaries({ session, hooks, model, readFile, clock }),
    opening: async () => (log.path.length > 0 ? [] : [opening]),
    rewindFiles: async () => ({ text: "", files: [] }),
  });

  return {
    log,
    folder,
    /** Sends a command and gives every event up to the end of its turn. */
    async send(
      command: AgentCommand,
      on?: (event: AgentEvent, send: (command: AgentCommand) => void) => void,
    ): Promise<AgentEvent[]> {
      const commands = new AsyncQueue<AgentCommand>();
      commands.push(command);
      const events: AgentEvent[] = [];
      for await (const event of agent.run(commands)) {
        events.push(event);
        on?.(event, (more) => commands.push(more));
        if (event.type === "idle") commands.close();
      }
      return events;
    },
    async close(): Promise<void> {
      await toolbox.close();
      await log.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
