/**
 * One life of an agent: `worker.ts URL ROOT SEED PROMPTS MODEL`. Opens the session, sends prompts,
 * reports every acknowledged entry on standard output, and closes: at the end, or on SIGTERM.
 */

import { heapStats } from "bun:jsc";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readlinkSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createAgent } from "../../../../src/agent/agent.ts";
import { AsyncQueue } from "../../../../src/base/async-queue.ts";
import { createTurnBoundaries } from "../../../../src/agent/compaction/at-boundary.ts";
import { Checkpoints } from "../../../../src/log/checkpoints.ts";
import { disk } from "../../../../src/base/durable.ts";
import { createLog, openLog } from "../../../../src/log/store.ts";
import { createAnthropicClient } from "../../../../src/model/anthropic/messages.ts";
import { systemClock, type Clock } from "../../../../src/base/clock.ts";
import type { AgentCommand } from "../../../../src/protocol/command.ts";
import { defaultPolicy } from "../../../../src/protocol/policy.ts";
import { createToolbox } from "../../../../src/tools/toolbox.ts";
import type { Tool } from "../../../../src/tools/tool.ts";
import { turnsPerSample, type Sample } from "./growth.ts";
import { Random } from "./random.ts";
import { hooksWith } from "../../../extensions/hooks/hooks-with.ts";

const [url = "", root = "", seed = "1", prompts = "10", model = ""] = process.argv.slice(2);
const random = new Random(Number(seed));
const report = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);

/** Waits are a thousand times shorter; the time of day jumps back and forth. */
let offsetMs = 0;
const clock: Clock = {
  now: () => Date.now() + offsetMs,
  random: () => random.next(),
  after: (ms, fire) => systemClock.after(ms / 1_000, fire),
};

/** A disk that is full now and then, and stores half a line before it reports that. */
let fullFor = 0;
const { write } = disk;
disk.write = async (fd, bytes, from, length) => {
  if (fullFor === 0 && random.chance(0.001)) fullFor = 1 + random.below(20);
  if (fullFor === 0) return write(fd, bytes, from, length);
  fullFor--;
  await write(fd, bytes, from, Math.floor(length / 2));
  throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
};

const input = z.object({ size: z.number(), id: z.string() });
/** Records that it ran before it answers: whatever happens then, it must not run again. */
const tool = (name: string, readOnly: boolean): Tool<unknown> => ({
  name,
  description: `Soak test: ${name}.`,
  schema: input,
  readOnly,
  intent: async () => ({ access: { kind: "none" }, title: name, detail: "", detailKind: "text" }),
  async run(raw) {
    const { size, id } = input.parse(raw);
    appendFileSync(join(root, "ran"), `${id}\n`);
    await new Promise<void>((resolve) => setTimeout(resolve, random.below(3)));
    const words = `the harbour of ${id} 🚢 `;
    // Cut anywhere, even within a character.
    return {
      content: [{ type: "text", text: words.repeat(size / 10).slice(0, size + random.below(40)) }],
    };
  },
});

const file = join(root, "sessions", "soak.jsonl");
const log = existsSync(file) ? openLog(file) : createLog(join(root, "sessions"), "soak");
const client = createAnthropicClient({ apiKey: "test", baseUrl: url, stallMs: 1_000 });
const toolbox = await createToolbox({
  workspace: root,
  addedFolders: [],
  resultsDir: join(root, "tool-results"),
  policy: defaultPolicy,
  mode: "bypass",
  childEnv: { PATH: "/usr/bin:/bin", HOME: root, SOAK: root },
  clock,
  sandbox: "off",
  checkpoint: new Checkpoints(join(root, "checkpoints")),
  extra: [tool("look", true), tool("change", false)],
});
const agent = createAgent({
  log,
  hooks: hooksWith(),
  model: client,
  toolbox,
  policy: defaultPolicy,
  rules: await client.rules(model),
  clock,
  boundaries: (session) =>
    createTurnBoundaries({
      session,
      hooks: hooksWith(),
      model: client,
      readFile: async () => null,
      clock,
    }),
  opening: async () =>
    log.path.some(({ type }) => type === "session")
      ? []
      : [
          {
            type: "session",
            version: 1,
            session: "soak",
            cwd: root,
            model,
            system: "You are a soak test.",
            tools: toolbox.definitions,
          },
        ],
  rewindFiles: async () => ({ text: "", files: [] }),
});

/** Files of the session that this process has open. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)].filter((path) => path.startsWith(root));
    } catch {
      return [];
    }
  });
}

async function close(): Promise<void> {
  await agent.close();
  await toolbox.close();
  await log.close();
  // The agent's clock scales how long closing waits for a file that is being written.
  const endMs = performance.now() + 2_000;
  while (openFiles().length > 0 && performance.now() < endMs) await Bun.sleep(10);
  report({ closed: true, open: openFiles() });
  process.exit(0);
}
process.on("SIGTERM", () => void close());

/** The system gets freed memory back only some tenths of a second after a collection. */
const returnedMs = 500;

async function sample(): Promise<Sample> {
  Bun.gc(true);
  await Bun.sleep(returnedMs);
  return {
    heap: heapStats().heapSize,
    rss: process.memoryUsage.rss(),
    logBytes: statSync(log.file, { throwIfNoEntry: false })?.size ?? 0,
  };
}

const commands = new AsyncQueue<AgentCommand>();
let left = Number(prompts);
function prompt(): void {
  if (left-- <= 0) return commands.close();
  if (random.chance(0.1)) offsetMs += (random.next() - 0.5) * 2 * 86_400_000;
  const text = `prompt ${left}: work on the harbour ${"🙂".repeat(random.below(30))}`.slice(
    0,
    50 + random.below(12),
  );
  if (random.chance(0.02)) commands.push({ type: "compact", how: "clear", trigger: "key" });
  if (random.chance(0.01)) commands.push({ type: "compact", how: "summarize", trigger: "key" });
  commands.push({ type: "prompt", content: [{ type: "text", text }] });
  if (random.chance(0.05)) setTimeout(() => commands.push({ type: "stop" }), random.below(40));
}
prompt();
for await (const event of agent.run(commands)) {
  if (event.type === "entry") {
    const { entry } = event;
    report({ id: entry.id, hash: Bun.hash(JSON.stringify(entry)).toString(36), type: entry.type });
  }
  if (event.type !== "idle") continue;
  const memory = left % turnsPerSample === 0 ? { memory: await sample() } : {};
  report({ idle: event.why, message: event.message ?? "", ...memory });
  prompt();
}
await close();
