/**
 * Recorded sessions through the real agent and the real client, over HTTP, against the strict fake: it
 * answers with the recorded answers, signs and binds their thinking, and tools give the recorded
 * results. `bun test/lab/bench/strict-replay.ts FOLDER [NAME [WINDOWS [POLICIES]]]`; a policy is a balance
 * (keep, balanced, save) or thresholds. Exits with 1 when anything was refused for good, or thinking
 * was dropped although nothing was cut in that loop.
 */

import { bareRules } from "../../bare-rules.ts";
import { createAgent } from "../../../src/agent/agent.ts";
import { AsyncQueue } from "../../../src/base/async-queue.ts";
import { createTurnBoundaries } from "../../../src/agent/compaction/at-boundary.ts";
import { measure } from "../../../src/context/meter/meter.ts";
import { Projection } from "../../../src/context/view/view.ts";
import { createAnthropicClient } from "../../../src/model/anthropic/messages.ts";
import { blockText, type AssistantBlock } from "../../../src/protocol/block.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { AgentCommand } from "../../../src/protocol/command.ts";
import type { Entry, EntryOf, ResultFact } from "../../../src/protocol/entry.ts";
import { usedBy, type ModelRules } from "../../../src/protocol/model.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";
import { findRecordings, readRecording } from "../load.ts";
import { usualGapMs, type Recording } from "../recording.ts";
import type { ToolOutcome } from "../../../src/tools/tool.ts";
import { instantClock } from "../../instant-clock.ts";
import { MemoryLog } from "../../agent/memory-log.ts";
import { ScriptedToolbox } from "../../agent/scripted.ts";
import { say, startFakeApi, type AnswerBlock, type Responder } from "../../fake-api/index.ts";
import { percent, quantile } from "./recorded.ts";
import { hooksWith } from "../../extensions/hooks/hooks-with.ts";

const model = "claude-sonnet-5-5";
const summary =
  "<analysis>long</analysis><summary>1. Intent: go on as asked.\n2. Decisions: none.\n8. Next step: go on.</summary>";

/** Tools return the recorded results. */
class RecordedToolbox extends ScriptedToolbox {
  readonly #results: ReadonlyMap<string, ResultFact>;

  constructor(results: ReadonlyMap<string, ResultFact>) {
    super();
    this.mode = "bypass";
    this.#results = results;
  }

  override review() {
    return Promise.resolve({ verdict: "allow" as const, readOnly: false });
  }

  override run({ id }: { id: string }): Promise<ToolOutcome> {
    const { content, bytes, lines, isError, stamps } = this.#results.get(id) ?? unknownResult;
    const more = { ...(isError ? { isError } : {}), ...(stamps ? { stamps } : {}) };
    return Promise.resolve({ content, bytes, lines, ...more });
  }
}

const unknownResult: ResultFact = {
  type: "result",
  toolUse: "",
  tool: "",
  content: [{ type: "text", text: "(the recording ends here)" }],
  bytes: 25,
  lines: 1,
};

const toAnswer = (content: readonly AssistantBlock[]): AnswerBlock[] => {
  const blocks = content.flatMap((block): AnswerBlock[] => {
    if (block.type === "text") return block.text.trim() === "" ? [] : [block];
    if (block.type === "thinking") return [{ type: "thinking", thinking: block.thinking }];
    if (block.type !== "tool_use") return [];
    return [{ type: "tool_use", id: block.id, name: cleanName(block.name), input: block.input }];
  });
  const isMute = blocks.every(({ type }) => type === "thinking");
  return isMute ? [...blocks, { type: "text", text: "(nothing said)" }] : blocks;
};

/** A message in the form that the API accepts. */
const cleanName = (tool: string): string => tool.replace(/[^\w-]/g, "_").slice(0, 128);

type Report = {
  calls: number;
  refused: string[];
  /** Prompts that were too long at first, and were cut and sent again. */
  recovered: number;
  failed: string[];
  dropped: number;
  droppedInVain: number;
  cuts: Record<string, number>;
  misses: number[];
};

async function live(
  { calls, tools, system }: Recording,
  policy: Policy,
  windowTokens: number,
): Promise<Report> {
  const results = new Map<string, ResultFact>();
  for (const { before } of calls)
    for (const fact of before) if (fact.type === "result") results.set(fact.toolUse, fact);
  let at = 0;
  const responder: Responder = ({ messages, compaction }) => {
    const last = JSON.stringify(messages.at(-1)?.content ?? "");
    if (compaction != null) return say("1. Intent: go on as asked.\n8. Next step: go on.");
    if (last.includes("<analysis>")) return say(summary);
    const recorded = calls[at++];
    if (!recorded) return say("That is all.");
    return { content: toAnswer(recorded.answer) };
  };
  const api = startFakeApi({ responder, model: { windowTokens }, keepRequests: 1 });
  const { clock } = api;
  const client = createAnthropicClient({ apiKey: "test", baseUrl: api.url, clock });
  const log = new MemoryLog(() => clock.now());
  const names = new Set(
    calls.flatMap(({ answer }) =>
      answer.flatMap((block) => (block.type === "tool_use" ? [cleanName(block.name)] : [])),
    ),
  );
  const rules: ModelRules = { ...(await client.rules(model)), windowTokens };
  const advancing: Clock = {
    now: () => clock.now(),
    random: () => 0,
    after(ms, fire) {
      clock.advance(ms);
      fire();
      return () => {};
    },
  };
  const agent = createAgent({
    log,
    hooks: hooksWith(),
    model: client,
    toolbox: new RecordedToolbox(results),
    policy,
    rules,
    clock: advancing,
    boundaries: (session) =>
      createTurnBoundaries({
        session,
        hooks: hooksWith(),
        model: client,
        readFile: async () => null,
        clock: instantClock(() => clock.now()),
      }),
    opening: async () => [
      {
        type: "session",
        version: 1,
        session: "s",
        cwd: "/w",
        model,
        system: system ?? "You are a coding agent. ".repeat(800),
        tools:
          tools.length > 0
            ? tools
            : [...names].map((name) => ({
                name,
                description: name,
                input_schema: { type: "object" as const },
              })),
      },
    ],
    rewindFiles: async () => ({ text: "", files: [] }),
  });

  const commands = new AsyncQueue<AgentCommand>();
  const prompt = (): void => {
    const next = calls[at];
    const text = next?.before
      .flatMap((fact) => (fact.type === "user" ? [blockText(fact.content)] : []))
      .join("\n");
    clock.advance(Math.max(0, next?.gapMs ?? usualGapMs));
    const content = [{ type: "text" as const, text: text?.trim() ? text : "Go on." }];
    commands.push({ type: "prompt", content });
  };
  const failed: string[] = [];
  prompt();
  for await (const event of agent.run(commands)) {
    if (event.type === "entry" && event.entry.type === "result")
      clock.advance(Math.min(60_000, Math.max(0, calls[at]?.gapMs ?? usualGapMs)));
    if (event.type !== "idle") continue;
    if (event.why !== "done" && event.message) failed.push(event.message);
    if (at < calls.length && failed.length < 20) prompt();
    else commands.close();
  }
  await api.stop().catch((error: unknown) => failed.push(String(error)));
  const tooLong = api.refusals.filter((text) => text.includes("too long"));
  return {
    calls: at,
    refused: api.refusals.filter((text) => !text.includes("too long")),
    recovered: tooLong.length,
    failed,
    ...countDropped(log.path),
    cuts: countTiers(log.path),
    misses: measureMisses(log.path, rules, policy),
  };
}

/** Thinking that the server dropped; "in vain" means in a loop in which nothing was cut. */
function countDropped(path: readonly Entry[]): { dropped: number; droppedInVain: number } {
  let dropped = 0;
  let droppedInVain = 0;
  let cutInLoop = false;
  for (const entry of path) {
    if (entry.type === "cut" || entry.type === "restore") cutInLoop = true;
    if (entry.type === "user") cutInLoop = false;
    if (entry.type === "cut" && entry.midLoop) cutInLoop = true;
    if (entry.type !== "assistant") continue;
    dropped += entry.droppedThinking ?? 0;
    if (!cutInLoop) droppedInVain += entry.droppedThinking ?? 0;
  }
  return { dropped, droppedInVain };
}

function countTiers(path: readonly Entry[]): Record<string, number> {
  const tiers: Record<string, number> = {};
  for (const entry of path) {
    if (entry.type !== "cut") continue;
    const name = `${entry.tier}${entry.midLoop ? " (in a loop)" : ""}${entry.summary ? ` by ${entry.summary.by}` : ""}`;
    tiers[name] = (tiers[name] ?? 0) + 1;
  }
  return tiers;
}

/** |meter - counted| / counted before each call from the second on. */
function measureMisses(path: readonly Entry[], rules: ModelRules, policy: Policy): number[] {
  const projection = new Projection();
  const misses: number[] = [];
  for (const entry of path) {
    if (isCounted(entry)) {
      const counted = usedBy(entry.usage) - entry.usage.output;
      const { usedTokens } = measure(projection.view, rules, policy, 0);
      misses.push(Math.abs(usedTokens - counted) / counted);
    }
    projection.push(entry);
  }
  return misses.slice(1);
}

const isCounted = (entry: Entry): entry is EntryOf<"assistant"> =>
  entry.type === "assistant" && entry.stop !== "failed" && usedBy(entry.usage) > 0;

function choosePolicy(name: string): Policy {
  if (name === "thresholds") return { ...defaultPolicy, ...bareRules };
  if (name === "keep" || name === "balanced" || name === "save")
    return { ...defaultPolicy, balance: name };
  throw new Error(`${name}: choose keep, balanced, save or thresholds`);
}

const [folder = "", name = "", windows = "60000,200000", policies = "balanced,thresholds"] =
  process.argv.slice(2);
let bad = 0;
for (const window of windows.split(",").map(Number)) {
  for (const policyName of policies.split(",")) {
    const policy = choosePolicy(policyName);
    const sum = { calls: 0, recovered: 0, dropped: 0, droppedInVain: 0, refused: 0, failed: 0 };
    const cuts: Record<string, number> = {};
    const misses: number[] = [];
    for (const path of await findRecordings(folder)) {
      if (!path.includes(name)) continue;
      const report = await live(await readRecording(path), policy, window);
      for (const key of ["calls", "recovered", "dropped", "droppedInVain"] as const)
        sum[key] += report[key];
      sum.refused += report.refused.length;
      sum.failed += report.failed.length;
      for (const [tier, count] of Object.entries(report.cuts))
        cuts[tier] = (cuts[tier] ?? 0) + count;
      misses.push(...report.misses);
      for (const text of [...report.refused, ...report.failed].slice(0, 3))
        console.log(`  ${path.replace(/^.*\//, "")}: ${text.slice(0, 300)}`);
    }
    bad += sum.refused + sum.failed + sum.droppedInVain;
    console.log(
      `window ${window}, ${policyName}: ${JSON.stringify(sum)}; cuts ${JSON.stringify(cuts)}; meter ${percent(quantile(misses, 0.5))} / ${percent(quantile(misses, 0.95))}`,
    );
  }
}
process.exit(bad > 0 ? 1 : 0);
