/**
 * Lives through recorded sessions with the agent's own hooks, summaries made without a
 * model, and counts what the API would have refused:
 * `bun test/lab/bench/validity.ts FOLDER [NAME [WINDOWS]]`. Nothing is sent or written; exits with 1 on a refusal.
 */

import { bareRules } from "../../bare-rules.ts";
import { createTurnBoundaries } from "../../../src/agent/compaction/at-boundary.ts";
import { Session } from "../../../src/agent/session.ts";
import { InvalidRequest } from "../../../src/context/rules/valid.ts";
import { buildRequest } from "../../../src/context/request.ts";
import { RequestTooLarge } from "../../../src/context/rules/window.ts";
import { type ModelClient, ModelError } from "../../../src/model/client.ts";
import { isThinking, type AssistantBlock } from "../../../src/protocol/block.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import type { ModelRules } from "../../../src/protocol/model.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";
import { persisted } from "../arrival.ts";
import { instantClock } from "../../instant-clock.ts";
import { MemoryLog } from "../../agent/memory-log.ts";
import { rules as scripted } from "../../agent/scripted.ts";
import { percent, quantile, readRecordings, type Recorded } from "./recorded.ts";
import { StrictServer } from "./strict-server.ts";
import { hooksWith } from "../../extensions/hooks/hooks-with.ts";

/** System prompt and tools, in characters: about as long as ours. */
const system = "You are a coding agent; this sentence stands for all that you are told. ".repeat(
  400,
);

/** Roughly what this tokenizer counts; the session corrects it. */
const charsPerToken = { prose: 4.2, code: 3.3, result: 3.1 };

/** Never answers: every summary is made without a model. */
const nobody: ModelClient = {
  label: "nobody",
  models: () => Promise.resolve([]),
  rules: () => Promise.resolve(scripted),
  // eslint-disable-next-line require-yield
  async *stream() {
    throw new ModelError("unreachable", "Nobody answers.");
  },
};

type Tally = {
  requests: number;
  refused: string[];
  overflows: string[];
  /** Refused with a message before it was sent. */
  tooLarge: string[];
  dropped: number;
  /** Dropped although nothing was cut in that loop. */
  droppedInVain: number;
  tiers: Record<string, number>;
  /** |meter - counted| / counted, for every request, and for the first one after a cut. */
  misses: number[];
  missesAfterCut: number[];
};

const emptyTally = (): Tally => ({
  requests: 0,
  refused: [],
  overflows: [],
  tooLarge: [],
  dropped: 0,
  droppedInVain: 0,
  tiers: {},
  misses: [],
  missesAfterCut: [],
});

async function live(recorded: Recorded, policy: Policy, rules: ModelRules): Promise<Tally> {
  const tally = emptyTally();
  let nowMs = Date.UTC(2026, 0, 1);
  const log = new MemoryLog();
  const session = new Session(log, policy, rules, () => nowMs);
  const clock = instantClock(() => nowMs);
  const hooks = createTurnBoundaries({
    session,
    hooks: hooksWith(),
    model: nobody,
    readFile: () => Promise.resolve(null),
    clock,
  });
  const server = new StrictServer();
  const { signal } = new AbortController();
  const arrive = persisted(policy);
  const tiers = (name: string) => (tally.tiers[name] = (tally.tiers[name] ?? 0) + 1);
  let cutInLoop = false;
  const run = async (stream: AsyncGenerator<unknown, unknown>): Promise<boolean> => {
    const before = session.view.cuts.length;
    const { midLoop } = session.view;
    for (let step = await stream.next(); !step.done; step = await stream.next());
    const made = session.view.cuts.slice(before);
    for (const { tier, midLoop: inLoop } of made) tiers(inLoop ? `${tier} (forced)` : tier);
    if (midLoop && made.length > 0) cutInLoop = true;
    return made.length > 0;
  };
  await session.append({
    type: "session",
    version: 1,
    session: recorded.name,
    cwd: "/",
    model: rules.model,
    system,
    tools: [],
  });
  let answers = 0;
  let turnBegins = true;
  let lastMs: number | null = null;
  for (const { atMs, facts, human, compacted } of recorded.moments) {
    if (compacted) continue;
    nowMs += Math.max(1_000, atMs !== null && lastMs !== null ? atMs - lastMs : 1_000);
    lastMs = atMs ?? lastMs;
    if (human) turnBegins = true;
    for (const fact of facts) {
      if (fact.type === "result") {
        const kept = arrive(fact, `/results/${log.path.length}.txt`);
        if (kept !== fact) tiers("persist");
        await session.append(kept);
        continue;
      }
      if (fact.type !== "assistant") {
        await session.append(fact);
        continue;
      }
      if (session.view.messages.at(-1)?.role !== "user") {
        await session.append({ type: "user", content: [{ type: "text", text: "Go on." }] });
        turnBegins = true;
      }
      if (!session.view.midLoop) cutInLoop = false;
      let cut = turnBegins
        ? await run(hooks.turnStart(signal, { ask: async () => ({ allow: false }) }))
        : false;
      turnBegins = false;
      cut = (await run(hooks.beforeCall(signal))) || cut;
      const said = toAnswer(fact.content, rules, `${recorded.name}-${answers++}`);
      for (let again = 0; ; again++) {
        const counted = send(session, server, tally, said, cut, cutInLoop);
        if (counted === null) break;
        if (counted <= rules.windowTokens || again === 3) {
          await session.append(asAnswer(fact, said, counted, server.tokensOf(said), nowMs));
          break;
        }
        tally.overflows.push(`${recorded.name} call ${answers}: ${counted}`);
        await run(hooks.tooLong({ tokens: counted, limit: rules.windowTokens }, signal));
      }
      if (!said.some(({ type }) => type === "tool_use")) await run(hooks.turnEnd(signal));
    }
  }
  if (session.view.rejected.length > 0) tally.refused.push("a cut was rejected by the view");
  return tally;
}

/** The tokens that the server counted; null: nothing was sent. */
function send(
  session: Session,
  server: StrictServer,
  tally: Tally,
  said: readonly AssistantBlock[],
  cut: boolean,
  cutInLoop: boolean,
): number | null {
  tally.requests++;
  const { view, rules, policy, log } = session;
  try {
    const { usedTokens } = session.reading;
    const request = buildRequest(view, rules, policy);
    const { tokens, broken, dropped } = server.take(request, said);
    const where = `${log.path.length} entries, ${rules.windowTokens}`;
    tally.refused.push(...broken.map((one) => `${one} (${where})`));
    tally.dropped += dropped;
    if (!cutInLoop) tally.droppedInVain += dropped;
    const miss = Math.abs(usedTokens - tokens) / tokens;
    if (tally.requests > 3) tally.misses.push(miss);
    if (cut && tally.requests > 3) tally.missesAfterCut.push(miss);
    return tokens;
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    (error instanceof RequestTooLarge ? tally.tooLarge : tally.refused).push(error.message);
    return null;
  }
}

/** Every answer of a model that binds thinking contains some. */
function toAnswer(
  content: readonly AssistantBlock[],
  rules: ModelRules,
  signature: string,
): AssistantBlock[] {
  const words = content.filter((block) => !isThinking(block));
  if (words.length === 0) words.push({ type: "text", text: "…" });
  if (rules.thinking === "none") return words;
  const thought = content.flatMap((b) => (b.type === "thinking" ? [b.thinking] : [])).join("\n");
  return [
    { type: "thinking", thinking: thought || "What to do next, and why.", signature },
    ...words,
  ];
}

const asAnswer = (
  fact: Extract<Fact, { type: "assistant" }>,
  content: AssistantBlock[],
  input: number,
  output: number,
  nowMs: number,
): Fact => ({
  ...fact,
  content,
  stop: content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
  usage: { input: 3, cacheRead: input - 3, cacheWrite: 0, output },
  sentAt: new Date(nowMs).toISOString(),
});

const [folder = "/work/shared/traces", only = "", windows = "60000,200000,1000000"] =
  process.argv.slice(2);
const sessions = (await readRecordings(folder)).filter(({ name }) => name.includes(only));
let failed = false;
for (const windowTokens of windows.split(",").map(Number)) {
  for (const thinking of ["none", "bound"] as const) {
    for (const kind of ["default", "thresholds"] as const) {
      const sum = emptyTally();
      for (const recorded of sessions) {
        const rules = { ...scripted, model: "recorded", windowTokens, thinking, charsPerToken };
        const one = await live(
          recorded,
          kind === "default" ? defaultPolicy : { ...defaultPolicy, ...bareRules },
          rules,
        );
        sum.requests += one.requests;
        sum.dropped += one.dropped;
        sum.droppedInVain += one.droppedInVain;
        sum.refused.push(...one.refused);
        sum.overflows.push(...one.overflows);
        sum.tooLarge.push(...one.tooLarge);
        sum.misses.push(...one.misses);
        sum.missesAfterCut.push(...one.missesAfterCut);
        for (const [tier, count] of Object.entries(one.tiers))
          sum.tiers[tier] = (sum.tiers[tier] ?? 0) + count;
      }
      failed ||= sum.refused.length + sum.overflows.length + sum.droppedInVain > 0;
      const miss = (list: number[]) =>
        `${percent(quantile(list, 0.5))} / ${percent(quantile(list, 0.95))}`;
      console.log(
        `window ${windowTokens}, thinking ${thinking}, ${kind}: ${sum.requests} requests, ${sum.refused.length} refused, ${sum.overflows.length} overflows, ${sum.tooLarge.length} turned down in words, ${sum.dropped} thinking blocks dropped (${sum.droppedInVain} outside forced cuts); tiers ${JSON.stringify(sum.tiers)}; meter ${miss(sum.misses)}, behind a cut ${miss(sum.missesAfterCut)}`,
      );
      for (const [what, list] of Object.entries({
        refused: sum.refused,
        overflow: sum.overflows,
        "turned down": sum.tooLarge,
      }))
        for (const text of [...new Set(list)].slice(0, 5)) console.log(`  ${what}: ${text}`);
    }
  }
}
if (failed) process.exitCode = 1;
