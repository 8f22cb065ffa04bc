import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createAgent } from "../../../src/agent/agent.ts";
import { AsyncQueue } from "../../../src/agent/async-queue.ts";
import { Compactor } from "../../../src/agent/compaction/compactor.ts";
import { createTurnBoundaries } from "../../../src/agent/turn-boundaries.ts";
import { createOfflineClient } from "../../../src/apps/offline/client.ts";
import { Checkpoints } from "../../../src/log/checkpoints.ts";
import { createLog } from "../../../src/log/store.ts";
import { textOf, type ToolUseBlock } from "../../../src/protocol/block.ts";
import type { Answer as Permission, Command } from "../../../src/protocol/command.ts";
import type { EntryOf } from "../../../src/protocol/entry.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import type { PermissionMode } from "../../../src/protocol/permission.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";
import { instantClock } from "../../instant-clock.ts";

export type Answer = {
  text: string;
  calls: ToolUseBlock[];
  /** Titles of the calls that needed permission. */
  asked: string[];
  /** Tokens that the question added to the context, its calls and results included. */
  tokens: number;
};

export type Options = {
  windowTokens?: number;
  mode?: PermissionMode;
  /** The answer to every question for permission; yes by default. */
  permission?: Permission;
};

/** The offline model in a real session: the real agent, tools and log, in a folder with these files. */
export async function openSession(files: Record<string, string>, options: Options = {}) {
  const root = await mkdtemp(join(tmpdir(), "offline-"));
  const folder = join(root, "project");
  await mkdir(folder);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await Bun.write(join(folder, path), text);
  }
  const log = createLog(join(root, "sessions"), "offline");
  const model = createOfflineClient({ windowTokens: options.windowTokens ?? 32_000 });
  const permission = options.permission ?? { allow: true, scope: "once" };
  const clock = instantClock(Date.now, []);
  const toolbox = await createToolbox({
    workspace: folder,
    addedFolders: [],
    resultsDir: join(root, "home", "tool-results"),
    policy: defaultPolicy,
    mode: options.mode ?? "default",
    childEnv: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: root },
    clock,
    checkpoint: new Checkpoints(join(root, "home", "checkpoints")),
  });
  const agent = createAgent({
    log,
    model,
    toolbox,
    policy: defaultPolicy,
    rules: await model.rules("offline"),
    clock,
    boundaries: (session) => {
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
              session: "offline",
              cwd: folder,
              model: "offline",
              system: "You are a coding agent.",
              tools: toolbox.definitions,
            },
          ],
    rewindFiles: async () => "",
  });

  async function send(command: Command): Promise<AgentEvent[]> {
    const commands = new AsyncQueue<Command>();
    commands.push(command);
    const events: AgentEvent[] = [];
    for await (const event of agent.run(commands)) {
      events.push(event);
      if (event.type === "ask")
        commands.push({ type: "answer", id: event.ask.id, answer: permission });
      if (event.type === "idle") commands.close();
    }
    return events;
  }

  const answers = (): EntryOf<"assistant">[] =>
    log.path.filter((entry): entry is EntryOf<"assistant"> => entry.type === "assistant");

  async function ask(question: string): Promise<Answer> {
    const before = answers();
    const events = await send({ type: "prompt", content: [{ type: "text", text: question }] });
    const given = answers().slice(before.length);
    const used = ({ usage }: EntryOf<"assistant">): number => usage.input + usage.output;
    const last = given.at(-1);
    const start = before.at(-1) ?? given[0];
    return {
      text: textOf(last?.content ?? []),
      calls: given.flatMap(({ content }) => content.filter((block) => block.type === "tool_use")),
      asked: events.flatMap((event) =>
        event.type === "ask"
          ? [event.ask.detailKind === "command" ? event.ask.detail : event.ask.title]
          : [],
      ),
      tokens: last && start ? used(last) - used(start) : 0,
    };
  }

  return {
    folder,
    log,
    ask,
    send,
    async [Symbol.asyncDispose](): Promise<void> {
      await toolbox.close();
      await log.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
