/**
 * The next summary is written while nobody waits for it, against the strict fake: it reads the cache, is
 * used by the next cut if it still fits, survives a restart, and is billed once.
 */

import { expect, test } from "bun:test";
import { project } from "../../../src/context/view/view.ts";
import type { ModelClient } from "../../../src/model/client.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import type { AgentCommand } from "../../../src/protocol/command.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import { billedFor } from "../../../src/protocol/billed.ts";
import { callCost, noUsage } from "../../../src/protocol/model.ts";
import type { Policy } from "../../../src/protocol/policy.ts";
import { FakeApi, FakeClock, call, say, think } from "../../fake-api/index.ts";
import { fakeAgent, modelName as model, type FakeAgentOptions } from "../fake-agent.ts";
import { plainRules } from "../../model-rules.ts";
import { of, prompt } from "../harness.ts";
import { MemoryLog } from "../memory-log.ts";
import { ScriptedToolbox } from "../scripted.ts";
import { goodSummary } from "./harness.ts";

type Options = {
  log?: MemoryLog;
  policy?: Partial<Policy>;
  summary?: () => Promise<string>;
  /** Another model, which writes summaries. */
  writer?: string;
  hooks?: FakeAgentOptions["hooks"];
  rules?: FakeAgentOptions["rules"];
  /** The tool "free" runs until this resolves; the model calls it when asked to, so often at most. */
  tool?: Promise<string>;
  calls?: number;
};

/** An agent with a window of 60,000 tokens; `summary` is what the model writes when asked for one. */
async function agentWith({
  log,
  policy = {},
  writer,
  hooks = {},
  rules = {},
  tool = Promise.resolve(""),
  calls = 1,
  summary = async () => goodSummary(),
}: Options = {}) {
  const asked: string[] = [];
  let called = 0;
  const time = new FakeClock();
  const spending = { usd: 0 };
  const api = new FakeApi({
    clock: time,
    model: { windowTokens: 60_000 },
    responder: async ({ messages }) => {
      const isSummary = JSON.stringify(messages.at(-1)?.content).includes("<analysis>");
      asked.push(isSummary ? "summary" : "turn");
      if (isSummary) return say(await summary());
      const wants = JSON.stringify(messages.at(-1)?.content).includes("run the tool");
      if (wants && called++ < calls) return { content: [call("free", {})] };
      return { content: [think("let me see"), { type: "text", text: "Done." }] };
    },
  });
  const agent = await fakeAgent({
    api,
    log: log ?? new MemoryLog(time.now),
    policy: { engine: "client", ...policy },
    hooks,
    rules,
    toolbox: new ScriptedToolbox(() => tool),
    prepares: true,
    agent: { spending },
    ...(writer !== undefined && { wrap: (client: ModelClient) => withWriter(client, writer) }),
  });
  return {
    ...agent,
    asked,
    spending,
    async end(): Promise<void> {
      await agent.end();
      expect(api.refusals).toEqual([]);
      expect(api.failures).toEqual([]);
    },
  };
}

/** A client whose models have their summaries written by `name`. */
const withWriter = (client: ModelClient, name: string): ModelClient => ({
  ...client,
  async rules(wanted) {
    const rules = await client.rules(wanted);
    return wanted === name ? rules : { ...rules, summarizer: await client.rules(name) };
  },
});

/** Throws when it failed instead: it would never be ready. */
function isReady({ path }: MemoryLog): boolean {
  const attempts = of(path, "attempt");
  const failed = attempts.find(({ outcome }) => outcome === "failed");
  if (failed) throw new Error(failed.reason);
  return attempts.some(({ outcome }) => outcome === "ready");
}

/** Fills the window to where the next summary is near: 42,000 of 52,500 tokens. It is due at 44,600. */
async function fill({ send }: { send(command: AgentCommand): Promise<unknown> }): Promise<void> {
  for (let message = 0; message < 15; message++)
    await send(prompt(`Never touch the lexer. ${"word after word ".repeat(950)}`));
}

const readStep = (event: AgentEvent): string | null =>
  event.type === "compaction" ? event.state.step : null;

/** An agent whose next summary is being written. */
async function preparing(options: Options = {}) {
  const one = await agentWith(options);
  await fill(one);
  await one.until(() => one.events.some((event) => readStep(event) === "preparing"));
  return one;
}

/** An agent whose next summary is ready. */
async function prepared(options: Options = {}) {
  const one = await preparing(options);
  await one.until(() => isReady(one.log));
  return one;
}

/** An agent whose next summary is written once the test says so. */
async function held(options: Options = {}) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const one = await preparing({ ...options, summary: () => promise });
  return { one, write: () => resolve(goodSummary()) };
}

const filling = Array.from({ length: 15 }, () => "turn");
const more = prompt(`go on ${"and on ".repeat(1_500)}`);

test("a summary that is ready is used by the next cut, at no further call", async () => {
  const one = await prepared();
  expect(one.asked).toEqual([...filling, "summary"]);
  const [ready] = of(one.log.path, "attempt");
  expect(ready?.usage?.cacheRead).toBeGreaterThan(30_000);
  await one.send(more);
  await one.send(prompt("and now?"));
  const [cut] = of(one.log.path, "cut");
  expect(cut).toMatchObject({ tier: "summary", summary: { by: "model", attempt: ready?.id } });
  expect(one.asked).toEqual([...filling, "summary", "turn", "turn"]);
  const view = project(one.log.path);
  const seen = JSON.stringify(view.messages);
  expect(seen).toContain("Never touch the lexer.");
  expect(seen).toContain("go on and on");
  expect(seen.length).toBeLessThan(60_000);
  expect(view.draft).toBeNull();
  await one.end();
  const billed = of(one.log.path, "assistant").map(({ usage }) => usage);
  const usages = [...billed, ...(ready?.usage ? [ready.usage] : [])];
  const { prices } = one.rules;
  const usd = usages.reduce((sum, usage) => sum + callCost(usage, prices), 0);
  expect(view.bills.usd(prices)).toBeCloseTo(usd, 9);
  expect(cut?.price.usd).toBeGreaterThanOrEqual(callCost(ready?.usage ?? usages[0]!, prices));
});

test("the next prompt does not wait for it, and what was said meanwhile stays verbatim", async () => {
  const { one, write } = await held();
  await one.send(more);
  expect(one.asked).toEqual([...filling, "summary", "turn"]);
  expect(of(one.log.path, "cut")).toEqual([]);
  write();
  await one.until(() => isReady(one.log));
  await one.send(prompt("and now?"));
  expect(one.asked).toEqual([...filling, "summary", "turn", "turn"]);
  expect(of(one.log.path, "cut")).toHaveLength(1);
  expect(JSON.stringify(project(one.log.path).messages)).toContain("go on and on");
  await one.end();
});

const byHand = { type: "compact", how: "summarize", trigger: "command" } as const;

test("by hand it is used as well, and nothing is paid twice", async () => {
  const one = await prepared();
  const [ready] = of(one.log.path, "attempt");
  await one.send(byHand);
  const [cut] = of(one.log.path, "cut");
  expect(cut).toMatchObject({ tier: "summary", summary: { attempt: ready?.id, turns: 15 } });
  await one.send(prompt("and now?"));
  expect(one.asked).toEqual([...filling, "summary", "turn"]);
  await one.end();
});

test("by hand, one that is being written is waited for", async () => {
  const { one, write } = await held();
  const compacted = one.send(byHand);
  write();
  await compacted;
  expect(one.asked).toEqual([...filling, "summary"]);
  expect(of(one.log.path, "cut")).toHaveLength(1);
  await one.end();
});

test.each<[string, AgentCommand, focus?: string]>([
  ["with words on what to keep", { ...byHand, focus: "the lexer" }, "the lexer"],
  ["of a range", { type: "summarize", to: "e9" }],
])("by hand, %s, another one is written in place of it", async (_, command, ...[focus]) => {
  const { one, write } = await held();
  const compacted = one.send(command);
  write();
  await compacted;
  const stopped = { outcome: "stopped", usage: { cacheRead: expect.any(Number) } };
  expect(of(one.log.path, "attempt")).toMatchObject([stopped]);
  expect(one.asked).toEqual([...filling, "summary", "summary"]);
  const [cut] = of(one.log.path, "cut");
  expect([cut?.summary?.focus, cut?.summary?.attempt]).toEqual([focus, undefined]);
  await one.end();
});

test("where a hook adds to its prompt, another one is written", async () => {
  const first = await prepared();
  await first.end();
  const hooks = { PreCompact: async () => ({ context: "Mention the moon." }) };
  const second = await agentWith({ log: first.log, hooks });
  await second.send(byHand);
  expect(second.asked).toEqual(["summary"]);
  await second.end();
});

test("a resumed session uses it, and it can be undone and redone like any other", async () => {
  const first = await prepared();
  await first.end();
  const { log } = first;
  const second = await agentWith({ log });
  await second.send(more);
  expect(second.asked).toEqual(["turn"]);
  const [cut] = of(log.path, "cut");
  if (!cut) throw new Error("Nothing was cut.");
  const [summary] = project(log.path).messages;
  await second.send({ type: "restore", cut: cut.id });
  expect(project(log.path).messages[0]).not.toEqual(summary);
  expect(project(log.path).messages).toHaveLength(32);
  await second.send({ type: "restore", cut: cut.id, redo: true });
  expect(project(log.path).messages[0]).toEqual(summary);
  await second.end();
});

test("what is not used any more is dropped: another summary is made", async () => {
  const one = await prepared();
  const user = one.log.path.find((entry: Entry) => entry.type === "user");
  // Another branch of the conversation, which the summary is not about.
  await one.send({ type: "rewind", to: user?.parent ?? null, files: false, conversation: true });
  expect(project(one.log.path).draft).toBeNull();
  await one.send(prompt("hello"));
  expect(of(one.log.path, "cut")).toEqual([]);
  await one.end();
});

test("a run that ends stops it and records what it cost", async () => {
  const one = await preparing({ summary: () => new Promise(() => {}) });
  await one.end();
  expect(isReady(one.log)).toBe(false);
});

test("while tools run it is recorded as soon as it is ready, so that its cost cannot be lost", async () => {
  const tool = Promise.withResolvers<string>();
  const { one, write } = await held({ tool: tool.promise });
  one.give(prompt("run the tool"));
  await one.until(() => of(one.log.path, "assistant").at(-1)?.stop === "tool_use");
  write();
  await one.until(() => isReady(one.log));
  expect(of(one.log.path, "result")).toEqual([]);
  tool.resolve("done");
  await one.until(() => of(one.log.path, "result").length > 0);
  await one.send(prompt("and now?"));
  await one.end();
});

test("in a long loop it is written before the window is full, and used there", async () => {
  const tool = Promise.resolve(`run the tool ${"word ".repeat(3_000)}`);
  const one = await agentWith({ tool, calls: 22, policy: { keepResults: 40 } });
  await one.send(prompt("run the tool"));
  const [ready] = of(one.log.path, "attempt");
  expect(ready?.outcome).toBe("ready");
  const [cut] = of(one.log.path, "cut");
  expect(cut).toMatchObject({ midLoop: true, summary: { attempt: ready?.id } });
  await one.end();
});

test("it is billed to the model that wrote it, though another one answers by then", async () => {
  const { one, write } = await held();
  await one.send({ type: "model", model: "claude-haiku-4-5" });
  write();
  await one.until(() => isReady(one.log));
  const [ready] = of(one.log.path, "attempt");
  expect(ready).toMatchObject({ spent: { model } });
  expect(ready?.usage).toBeUndefined();
  const { prices } = one.rules;
  expect(ready?.spent?.usd).toBeCloseTo(callCost(ready?.spent?.usage ?? noUsage, prices), 9);
  await one.end();
});

test.each<[string, Options]>([
  [
    "a PreCompact hook may veto it, or change its prompt",
    { hooks: { PreCompact: async () => ({}) } },
  ],
  ["summaries are asked for first", { policy: { autoCompact: "ask" } }],
  ["compaction is off", { policy: { compaction: "off" } }],
  ["the model writes none", { rules: { summarizes: false } }],
  ["tokens cost nothing", { rules: { prices: { ...plainRules.prices, input: 0 } } }],
])("none is written where %s", async (_, options) => {
  const one = await agentWith(options);
  await fill(one);
  await one.send(prompt("and now?"));
  await one.end();
  expect(one.events.map(readStep)).not.toContain("preparing");
  expect(one.asked).toEqual([...filling, "turn"]);
});

test.each([
  ["that thinks and binds its thinking", "claude-haiku-5-5"],
  ["of an older line", "claude-haiku-4-5"],
])("another model writes summaries: one %s", async (_, writer) => {
  const one = await prepared({ writer });
  const [ready] = of(one.log.path, "attempt");
  expect(ready).toMatchObject({ by: "model", spent: { model: writer } });
  expect(ready?.usage).toBeUndefined();
  await one.send({ ...byHand, focus: "the lexer" });
  const [cut] = of(one.log.path, "cut");
  expect(cut?.spent?.model).toBe(writer);
  expect(cut?.summary?.usage).toBeUndefined();
  expect(cut?.price.usd).toBeGreaterThanOrEqual(cut?.spent?.usd ?? Infinity);
  await one.end();
  const written = one.api.bodies.filter((body) => body.model === writer);
  expect(written.length).toBeGreaterThan(1);
  for (const body of written)
    expect(JSON.stringify(body.messages)).not.toContain('"type":"thinking"');
  const view = project(one.log.path);
  const spent = (ready?.spent?.usd ?? 0) + (cut?.spent?.usd ?? 0);
  const { prices } = one.rules;
  const usd = (entry: Entry): number => callCost(billedFor(entry) ?? noUsage, prices);
  const rest = one.log.path.reduce((sum, entry) => sum + usd(entry), 0);
  expect(view.bills.usd(prices)).toBeCloseTo(rest + spent, 9);
  expect(one.spending.usd).toBeCloseTo(rest + spent, 9);
});

test("after one that failed, another is written only once the context has grown", async () => {
  const one = await agentWith({ summary: async () => "" });
  await fill(one);
  await one.until(() => one.events.some((event) => readStep(event) === "prepared"));
  const { length } = one.asked;
  await one.send(prompt("hello"));
  await one.send(prompt("hello"));
  await one.end();
  expect(one.asked.slice(length)).toEqual(["turn", "turn"]);
});
