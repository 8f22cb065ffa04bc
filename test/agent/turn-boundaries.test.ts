/** Turn boundaries: when the pipeline is asked, and what happens to its plans. */

import { bareRules } from "../bare-rules.ts";
import { expect, test } from "bun:test";
import { summaryLimits } from "../../src/context/summary/compose.ts";
import { buildRequest } from "../../src/context/request.ts";
import { ModelError } from "../../src/model/client.ts";
import type { CompactionBlock } from "../../src/protocol/block.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { calls, gives, reads, says, user } from "../context/summary/say.ts";
import { answer } from "../facts.ts";
import { text, type Scripted } from "./scripted.ts";
import {
  failures,
  notes,
  world,
  writes,
  type World,
  type WorldOptions,
} from "./compaction/harness.ts";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";

const long = "word after word ".repeat(400);
/** About 1,600 tokens a turn. */
const turns = (count: number): Fact[] =>
  Array.from({ length: count }, (_, turn) => [user(`turn ${turn}`), says(long)]).flat();

/** Summaries begin at 7,650 tokens; what no longer fits, a little above 9,000. */
const small = { rules: { windowTokens: 12_000 }, policy: { summaryAt: 0.73 } };
const never = new AbortController().signal;

/** A session of some turns whose next one has begun. */
async function filled(script: Scripted[], options: WorldOptions = small, count = 5) {
  const one = await world(script, options);
  await one.add(...turns(count), user("go on"));
  return one;
}

/** Whether the next request, and an answer of an eighth of the window, fit. */
const fits = ({ session: { reading, rules } }: World): boolean =>
  reading.usedTokens + Math.min(reading.errorTokens, rules.windowTokens / 10) <=
  (rules.windowTokens * 7) / 8;

const loop = (count: number, from = 0): Fact[] =>
  Array.from({ length: count }, (_, index) => {
    const id = `t${from + index}`;
    return [calls(id, "Bash", { command: `step ${id}` }), gives(id, "Bash", long)];
  }).flat();

type Asking = Parameters<World["boundaries"]["turnStart"]>[1];
const silent: Asking = { ask: () => Promise.reject(new Error("Nobody is to be asked here.")) };
const start = (one: World, asking = silent) => one.run(one.boundaries.turnStart(never, asking));

test("turnStart: a full context is summarized automatically before the call, unless the turn was stopped", async () => {
  const one = await filled([writes()]);
  expect(one.session.reading.utilization).toBeGreaterThan(0.73);
  await one.run(one.boundaries.turnStart(AbortSignal.abort(), silent));
  expect(one.session.view.cuts).toEqual([]);
  await start(one);
  expect(one.cut().trigger).toBe("auto");
  expect(one.cut().midLoop).toBeUndefined();
  expect(one.session.reading.utilization).toBeLessThan(0.5);
  expect(one.sees()).toContain("go on");
});

test("turnStart: a cut in a hot cache is not called an idle one", async () => {
  const sentMs = Date.UTC(2026, 0, 2);
  const usage = { input: 5, cacheRead: 40_000, cacheWrite: 1_000, output: 10 };
  const answered = answer(usage, undefined, { sentAt: new Date(sentMs).toISOString() });
  const seen: string[] = [];
  for (const idleMinutes of [0, 6]) {
    const nowMs = sentMs + idleMinutes * 60_000;
    const rules = { windowTokens: 70_000 };
    const one = await world([], { rules, policy: { ...bareRules }, nowMs });
    await one.add(user("do it"), ...loop(25), answered, user("go on"));
    await start(one);
    seen.push(one.cut().trigger);
  }
  expect(seen).toEqual(["auto", "idle"]);
});

test("turnStart: what the tiers cut is one entry, one price, one undo", async () => {
  const one = await world([], { rules: { windowTokens: 60_000 }, policy: { ...bareRules } });
  await one.add(user("do it"), ...reads("t0", "/w/large.ts", long.repeat(10)));
  for (let n = 1; n <= 20; n++) await one.add(...reads(`t${n}`, `/w/${n % 3}.ts`, long));
  await one.add(says("done"), user("go on"));
  await start(one);
  expect(one.session.view.cuts).toHaveLength(1);
  const { tier, reason, changes } = one.cut();
  expect([tier, reason]).toEqual(["snip", expect.stringMatching(/^trim 1 .*, drop \d+ stale/)]);
  expect(changes[0]).toMatchObject({ tier: "budget" });
  // The model learns what it has left, after all that is cached.
  expect(one.session.view.rows.at(-1)?.entry).toMatchObject({ title: "what this cut removed" });
  expect(one.sees()).toContain("The program made room: trim 1 large result, drop");
});

test.each(["off", "ask"] as const)(
  "autoCompact %s: the window forces a summary",
  async (autoCompact) => {
    const one = await world([writes()], { ...small, policy: { ...small.policy, autoCompact } });
    await one.add(...turns(5), user("go on"));
    let asked = 0;
    await start(one, { ask: async () => (asked++, { allow: false }) });
    expect(asked).toBe(autoCompact === "ask" ? 1 : 0);
    expect(one.session.view.cuts).toEqual([]);
    // Nobody is asked about a forced one.
    await one.add(says(long), user("go on"));
    expect(fits(one)).toBe(false);
    await start(one);
    expect(one.cut().trigger).toBe("auto");
  },
);

test("a prompt that leads to hundreds of calls never overflows and never stalls", async () => {
  const one = await world(
    Array.from({ length: 100 }, () => writes()),
    small,
  );
  await one.add(user("Do it all. Never stop early."));
  for (let step = 0; step < 300; step++) {
    await one.add(...loop(1, step));
    await one.run(one.boundaries.beforeCall(never));
    expect(fits(one)).toBe(true);
  }
  expect(one.sees()).toContain("Never stop early.");
  expect(one.session.view.rejected).toEqual([]);
  expect(one.model.left).toBeGreaterThan(0);
});

test("a veto holds unless the window is full", async () => {
  const parts = { hooks: hooksWith({ PreCompact: async () => ({ block: "not today" }) }) };
  const one = await filled([writes()], { ...small, parts });
  await start(one);
  expect(one.session.view.cuts).toEqual([]);
  await one.add(says(long), user("go on"));
  await start(one);
  expect(one.session.view.cuts).not.toEqual([]);
  expect(notes(one.log).join()).toContain("not today");
});

test.each([
  ["the server's count and window are trusted", 12_000, 8_000, true],
  ["the prompt fits, but no answer beside it", 60_000, 9_100, true],
  ["only the room for the answer is too large: less is asked for", 60_000, 16_000, false],
])("prompt is too long, %s", async (_, windowTokens, limit, cuts) => {
  const one = await filled([writes()], { ...small, rules: { windowTokens } }, 4);
  expect(await one.run(one.boundaries.tooLong({ tokens: 9_000, limit }, never))).toBe(true);
  const { view, rules, policy } = one.session;
  expect(rules.windowTokens).toBe(limit);
  expect(view.cuts.map(({ trigger }) => trigger)).toEqual(cuts ? ["too-long"] : []);
  if (cuts) expect(fits(one)).toBe(true);
  else expect(buildRequest(view, rules, policy).maxTokens).toBeLessThanOrEqual(7_000);
});

test("a window that the server reported is known after a resume, and forgotten with the model or the server", async () => {
  const one = await filled([writes()], small, 4);
  await one.run(one.boundaries.tooLong({ tokens: 9_000, limit: 8_000 }, never));
  const windowOf = async (windowTokens: number) =>
    (await world([], { rules: { windowTokens }, log: one.log })).session.rules.windowTokens;
  expect(await windowOf(12_000)).toBe(8_000);
  // The server was restarted with another window, or a setting changed.
  expect(await windowOf(60_000)).toBe(60_000);
  await one.add({ type: "model", model: "another" });
  expect(one.session.view.reportedWindow).toBeNull();
});

test("prompt is too long without sizes: the context is still cut", async () => {
  for (const sizes of [undefined, { tokens: 0, limit: 0 }]) {
    const one = await filled([writes()], small, 4);
    expect(await one.run(one.boundaries.tooLong(sizes, never))).toBe(true);
    const count = one.log.entries.find(({ type }) => type === "count");
    expect(count).toMatchObject({ tokens: 12_001, windowTokens: 12_000 });
  }
});

test("prompt is too long and nothing can be cut: reported, not retried forever", async () => {
  const one = await world([], small);
  await one.add(user("hello"));
  const sizes = { tokens: 12_000, limit: 10_000 };
  expect(await one.run(one.boundaries.tooLong(sizes, never))).toBe(false);
});

const compactCall = (focus: unknown) => [
  { tool_use_id: "c", tool_name: "Compact", tool_input: { focus } },
];

test("the model's own compact: at once, with its focus, the open exchange kept", async () => {
  const one = await world([writes()]);
  await one.add(...turns(3), user("go"), calls("c", "Compact", { focus: "x" }));
  await one.add(gives("c", "Compact", "ok"));
  await one.run(one.boundaries.afterTools(compactCall("the names"), never));
  expect(one.cut()).toMatchObject({ trigger: "model", summary: { focus: "the names" } });
  expect(one.session.view.messages.at(-1)?.content[0]).toMatchObject({ tool_use_id: "c" });
  await one.add(says("done"));
  const before = one.events.length;
  await one.run(one.boundaries.turnEnd(never));
  expect(one.events.length).toBe(before);
});

test("the model's own compact waits for the turn's end where thinking is bound", async () => {
  const one = await world([writes()], { rules: { thinking: "bound" } });
  await one.add(...turns(3), user("go"), calls("c", "Compact", {}), gives("c", "Compact", "ok"));
  await one.run(one.boundaries.afterTools(compactCall(7), never));
  expect(one.session.view.cuts).toEqual([]);
  await one.add(says("done"));
  await one.run(one.boundaries.turnEnd(never));
  expect(one.cut().trigger).toBe("model");
  await one.run(one.boundaries.turnEnd(never));
  expect(one.model.requests).toHaveLength(1);
});

test("clear: only results are removed, and the model is not called", async () => {
  const one = await world([]);
  await one.add(user("a"), ...loop(6), says("b"), user("c"));
  const clear = { type: "compact", how: "clear", trigger: "key" } as const;
  await one.run(one.boundaries.compact(clear, never));
  expect(one.cut()).toMatchObject({ tier: "microcompact", trigger: "key" });
  expect(one.cut().changes).toHaveLength(3);
});

test("a range is summarized, then a larger one around it", async () => {
  const one = await world([writes(), writes()]);
  await one.add(...turns(5), user("go on"));
  await one.run(one.boundaries.summarize({ type: "summarize", from: "e4", to: "e7" }, never));
  expect(one.cut().changes[0]).toMatchObject({ span: { from: "e4", to: "e7" } });
  await one.run(one.boundaries.summarize({ type: "summarize", to: "e9" }, never));
  expect(one.session.view.rejected).toEqual([]);
  expect(one.sees()).toContain("turn 4");
  expect(one.session.reading.usedTokens).toBeLessThan(3_000);
});

const block: CompactionBlock = {
  type: "compaction",
  content: "1. Intent: mend it. 2. Decisions: none so far. 8. Next step: go on.",
  signature: "sig",
};
/** The answer of a server that writes summaries itself. */
const byServer = (changes: Partial<CompactionBlock> = {}): Scripted => ({
  blocks: [{ ...block, ...changes }],
  stop: "compaction",
});
const compacting = { rules: { compacts: true } };
const serverSmall = { ...small, rules: { ...small.rules, ...compacting.rules } };
const environment: Fact = {
  type: "context",
  kind: "instructions",
  title: "AGENTS.md",
  content: [{ type: "text", text: "Use tabs here." }],
};

test("the server's own summary comes first, what is kept verbatim last; it is priced with that, and undone without a trace", async () => {
  const one = await world([byServer()], compacting);
  await one.add(environment, user("Never push."), ...reads("t1", "/w/a.ts", long), says(long));
  await one.add(user("go on"));
  const before = one.sees();
  await one.compact("the names");
  const [request] = one.model.requests;
  expect(request?.compaction?.instructions).toContain("the names");
  expect(JSON.stringify(request?.messages)).not.toContain("go on");
  expect(one.cut()).toMatchObject({ summary: { by: "server" }, changes: [{ block }] });
  const { messages } = one.session.view;
  expect(messages[0]?.content[0]).toEqual(block);
  expect(JSON.stringify(messages[1]?.content[0])).toContain("go on");
  const kept = JSON.stringify(messages[1]?.content.slice(1));
  expect(kept).toContain("Never push.");
  expect(kept).toContain("Use tabs here.");
  const { id, price } = one.cut();
  expect(price.usedAfter / one.session.reading.usedTokens).toBeCloseTo(1, 1);
  await one.add({ type: "restore", cut: id, price });
  expect(one.sees()).toBe(before);
});

test("a long summary of the server leaves less room for what is kept verbatim", async () => {
  const content = "1. Intent: mend it. ".repeat(300);
  const one = await world([byServer({ content })], serverSmall);
  for (let n = 0; n < 6; n++)
    await one.add(user(`Message ${n}: ${long.slice(0, 3_000)}`), says("k"));
  await one.add(user("go on"));
  const { view, rules, policy } = one.session;
  const { maxChars } = summaryLimits(view, { from: "e2", to: "e13" }, rules, policy);
  expect(content.length).toBeLessThan(maxChars);
  await one.compact();
  const [change] = one.cut().changes;
  const kept = change?.kind === "cover" ? (change.kept?.length ?? 0) : 0;
  expect(kept).toBeGreaterThan(1_000);
  expect(content.length + kept).toBeLessThanOrEqual(maxChars);
});

test.each([
  ["an empty summary", byServer({ content: null })],
  ["no words", byServer({ content: "-".repeat(90) })],
  ["an answer without a summary", { blocks: [text("Sum.")], stop: "compaction" as const }],
  ["a summary as large as what it replaces", byServer({ content: long.repeat(9) })],
  ["a busy server", { error: new ModelError("busy", "Overloaded") }],
])("%s: the client summarizes, and the server is asked again the next time", async (_, fault) => {
  const one = await filled([fault, writes(), byServer()], serverSmall);
  await start(one);
  expect(one.cut().summary?.by).toBe("model");
  expect(notes(one.log).join()).toContain("server could not write the summary");
  await one.add(...turns(5), user("go on"));
  await start(one);
  expect(one.cut().summary?.by).toBe("server");
});

test("a server that refuses to compact is not asked again, even when resumed, unless by hand", async () => {
  const refusal = { error: new ModelError("invalid", "This model does not support compaction.") };
  const one = await filled([refusal, writes()], serverSmall);
  await start(one);
  const resumed = await world([writes(), byServer()], {
    ...serverSmall,
    log: one.log,
  });
  await resumed.add(...turns(5), user("go on"));
  await start(resumed);
  expect(resumed.cut().summary?.by).toBe("model");
  await resumed.add(...turns(3), user("go on"));
  await resumed.compact();
  expect(resumed.cut().summary?.by).toBe("server");
});

test("a client's summary after the server's covers all of it, and keeps the project's instructions", async () => {
  const one = await world([byServer(), writes()], compacting);
  await one.add(environment, ...turns(3), user("go on"));
  await one.compact();
  await one.add(says(long), ...turns(2), user("go on"));
  one.session.rules = { ...one.session.rules, compacts: false };
  await one.compact();
  expect(one.session.view.rejected).toEqual([]);
  expect(one.cut().summary?.by).toBe("model");
  expect(one.sees()).toContain("Use tabs here.");
  expect(one.sees()).not.toContain('"compaction"');
});

test("compaction off: a manual request is refused with a message; a full window still forces a cut", async () => {
  const one = await filled([writes()], {
    ...small,
    policy: { ...small.policy, compaction: "off" },
  });
  await start(one);
  await one.compact();
  expect(failures(one.events).join()).toContain("Compaction is off");
  expect(one.session.view.cuts).toEqual([]);
  await one.add(says(long), user("go on"));
  await start(one);
  expect(one.session.view.cuts).toHaveLength(1);
});
