/** From a plan to a cut: what is written, by what, and what is left when something fails. */

import { bareRules } from "../../bare-rules.ts";
import { expect, test } from "bun:test";
import { ModelError } from "../../../src/model/client.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import { reads, says, user } from "../../context/summary/say.ts";
import type { MemoryLog } from "../memory-log.ts";
import { rules, text, type Scripted } from "../scripted.ts";
import { failures, notes, steps, world, writes, type World } from "./harness.ts";
import { hooksWith } from "../../extensions/hooks/hooks-with.ts";

const long = "word after word ".repeat(400);

const conversation: Fact[] = [
  user("Mend the parser. Never touch the lexer."),
  ...reads("t1", "/w/src/parser.ts", long),
  says("The parser is mended."),
  user("And now?"),
  says(`Now the tests. ${long}`),
  user("go on"),
];

const never = new AbortController().signal;
const each = { cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 };

const attempts = (log: MemoryLog) =>
  log.entries.flatMap((entry) =>
    entry.type === "attempt"
      ? [{ outcome: entry.outcome, by: entry.by, billed: entry.usage !== undefined }]
      : [],
  );

const findCover = (one: World) => {
  const [change] = one.cut().changes;
  if (change?.kind !== "cover") throw new Error("No cover.");
  return change;
};

async function compacted(...args: Parameters<typeof world>): Promise<World> {
  const one = await world(...args);
  await one.add(...conversation);
  await one.compact();
  expect(one.model.left).toBe(0);
  return one;
}

test("a summary replaces the conversation; the newest turn stays verbatim", async () => {
  const one = await compacted([writes()]);
  const { span, text: said } = findCover(one);
  expect(span).toEqual({ from: "e2", to: "e7" });
  expect(said).toContain("Intent: mend the parser.");
  expect(said).not.toContain("thinking");
  expect(one.sees()).not.toContain("word after word");
  expect(one.sees()).toContain("go on");
  expect(steps(one.events)).toEqual(["started", "writing", "done"]);
  expect(one.cut()).toMatchObject({
    tier: "summary",
    trigger: "command",
    summary: { by: "model" },
  });
  const { price } = one.cut();
  expect(price.usedAfter).toBeLessThan(price.usedBefore);
  expect(price.usd).toBeWithin(0.0001, 0.01);
  expect(price.breakEvenCalls).toBeGreaterThan(0);
  expect(Math.abs(one.session.reading.usedTokens - price.usedAfter)).toBeLessThan(100);
});

const cut: Scripted = { ...writes(), stop: "max_tokens" };
const bad: Scripted = { blocks: [text("I would rather not.")] };
const failing = (...error: ConstructorParameters<typeof ModelError>): Scripted => {
  return { error: new ModelError(...error) };
};
const failed = "failed to write one:";

test.each<[string, Scripted[], by: "model" | "extract", note: string, waits?: number[]]>([
  ["asked again after those that were cut", [cut, cut, writes()], "model", ""],
  ["not asked after three bad ones", [bad, bad, bad], "extract", `${failed} its summary was rej`],
  ["retried when busy", [failing("busy", "", { retryAfterMs: 700 }), writes()], "model", "", [700]],
  ["not retried when unreachable", [failing("unreachable", "No.")], "extract", `${failed} No.`],
  ["not retried without a key", [failing("auth", "No.")], "extract", `${failed} No.`],
  ["not retried when it refuses", [failing("invalid", "No.")], "extract", `${failed} No.`],
])("the model is %s, and a summary is made", async (_, script, by, note, ...[waits = []]) => {
  const one = await compacted(script);
  expect(one.cut().summary?.by).toBe(by);
  expect(notes(one.log).join()).toContain(note);
  expect(notes(one.log)).toHaveLength(note === "" ? 0 : 1);
  expect(one.waits).toEqual(waits);
  expect(one.events.filter(({ type }) => type === "retry")).toHaveLength(waits.length);
  expect(steps(one.events).at(-1)).toBe("done");
  if (by === "extract") expect(findCover(one).text).toMatch(/lexer\.[^]*\/w\/src\/parser\.ts/);
});

test("where a model writes no summaries, another one does", async () => {
  const none = await compacted([], { rules: { summarizes: false } });
  expect(none.cut().summary?.by).toBe("extract");
  const one = await compacted([writes()], { rules: { summarizes: false, summarizer: rules } });
  expect(one.cut().summary?.by).toBe("model");
});

test("a summary request that is itself too long drops its oldest messages, three times at most", async () => {
  const tooLong = { error: new ModelError("too-long", "prompt is too long") };
  const one = await world([tooLong, tooLong, tooLong, writes()]);
  const turns = Array.from({ length: 12 }, (_, turn) => [user(`turn ${turn}`), says(long)]).flat();
  await one.add(...turns, user("go on"));
  await one.compact();
  const lengths = one.model.requests.map(({ messages }) => messages.length);
  expect(new Set(lengths).size).toBe(4);
  expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
  expect(one.cut().summary?.by).toBe("model");
  const never = await world([tooLong, tooLong, tooLong, tooLong, writes()]);
  await never.add(...turns, user("go on"));
  await never.compact();
  expect(never.model.left).toBe(1);
  expect(never.cut().summary?.by).toBe("extract");
});

const down = { error: new ModelError("unreachable", "Nobody answers.") };

/** After another message, the model asks for a summary. */
async function asks(self: World): Promise<void> {
  await self.add(says(long), user("go on"));
  const call = { tool_use_id: "c", tool_name: "Compact", tool_input: {} } as const;
  await self.run(self.boundaries.afterTools([call], never));
}

test("the breaker opens after three failures in a row, and is closed manually or once the session has grown", async () => {
  const failed = async (...script: Scripted[]): Promise<World> => {
    const one = await world([down, down, down, ...script]);
    await one.add(...conversation);
    for (let round = 0; round < 3; round++) await asks(one);
    return one;
  };
  const one = await failed();
  expect(notes(one.log)[2]).toContain("not be asked again");
  await asks(one);
  const resumed = await world([], { log: one.log });
  await asks(resumed);
  expect(resumed.cut().summary?.by).toBe("extract");
  // It has grown by half.
  const grown = await world([writes()], { log: one.log });
  for (let more = 0; more < 20; more++) await grown.add(user("and on"));
  await asks(grown);
  expect(grown.cut().summary?.by).toBe("model");
  const manual = await failed(writes());
  await manual.add(says(long), user("go on"));
  await manual.compact();
  expect(manual.cut().summary?.by).toBe("model");
});

test("every call of a summary is billed, even rejected and interrupted ones", async () => {
  const bad = writes("<summary>too short</summary>");
  const one = await compacted([bad, { blocks: [text("no tags")] }, writes()]);
  expect(one.cut().summary?.usage).toEqual({ ...each, input: 300, output: 30 });
  const failed = await compacted([bad, bad, bad]);
  expect(failed.cut().summary?.by).toBe("extract");
  expect(attempts(failed.log)).toEqual([{ outcome: "failed", by: "model", billed: true }]);
  expect(failed.session.view.bills.total).toMatchObject({ input: 300, output: 30 });
});

test("a slow PreCompact hook: the phase is shown first, and Esc ends it", async () => {
  const stop = new AbortController();
  let given: AbortSignal | undefined;
  const preCompact = (_: unknown, { signal }: { signal: AbortSignal }) => {
    given = signal;
    expect(steps(one.events)).toEqual(["started"]);
    expect(one.events.at(-1)).toEqual({ type: "phase", phase: "compacting" });
    queueMicrotask(() => stop.abort());
    return new Promise<never>(() => {});
  };
  const one = await world([], { parts: { hooks: hooksWith({ PreCompact: preCompact }) } });
  await one.add(...conversation);
  const entries = one.log.entries.length;
  await one.compact(undefined, stop.signal);
  expect(given?.aborted).toBe(true);
  expect(steps(one.events)).toEqual(["started", "failed"]);
  expect(one.log.entries).toHaveLength(entries);
});

test("a slow PostCompact hook does not hold up a stop", async () => {
  const stop = new AbortController();
  const postCompact = (): Promise<never> => {
    queueMicrotask(() => stop.abort());
    return new Promise(() => {});
  };
  const one = await world([writes()], {
    parts: { hooks: hooksWith({ PostCompact: postCompact }) },
  });
  await one.add(...conversation);
  await one.compact(undefined, stop.signal);
  expect(one.cut().summary?.by).toBe("model");
});

test("a failed and an extracted summary in between do not add up to an open breaker", async () => {
  const one = await world([down, down, writes(), down, down, writes()]);
  await one.add(...conversation);
  for (let round = 0; round < 6; round++) await asks(one);
  expect(one.model.left).toBe(0);
});

test.each([false, true])(
  "Esc while it is written leaves no trace; by the server: %p",
  async (compacts) => {
    const stop = new AbortController();
    const one = await world([{ torn: "<summary>so", hangs: true }], {
      rules: { compacts },
      on: (event) => {
        if (event.type === "compaction" && event.state.step === "writing") stop.abort();
      },
    });
    await one.add(...conversation);
    const entries = one.log.entries.length;
    const sees = one.sees();
    await one.compact(undefined, stop.signal);
    expect(one.log.entries).toHaveLength(entries);
    expect(one.sees()).toBe(sees);
    expect(failures(one.events)).toEqual(["Not compacted; nothing was changed."]);
  },
);

test("Esc while files are read changes nothing", async () => {
  const stop = new AbortController();
  const readFile = (): Promise<null> => {
    stop.abort();
    return Promise.resolve(null);
  };
  const one = await world([writes()], { parts: { readFile } });
  await one.add(...conversation);
  const before = one.sees();
  await one.compact(undefined, stop.signal);
  expect(one.model.left).toBe(0);
  expect(one.sees()).toBe(before);
  expect(attempts(one.log)).toEqual([{ outcome: "stopped", by: null, billed: true }]);
});

test("PreCompact may veto or add to the prompt; PostCompact gets the summary, and SessionStart adds to what remains", async () => {
  const late = hooksWith({ PreCompact: async () => ({ block: "it is late" }) });
  const vetoed = await world([], { parts: { hooks: late } });
  await vetoed.add(...conversation);
  await vetoed.compact();
  expect(failures(vetoed.events)).toEqual(["A PreCompact hook vetoed the compaction: it is late"]);
  expect(vetoed.session.view.cuts).toEqual([]);
  const heard: unknown[] = [];
  const told: unknown[] = [];
  const hooks = hooksWith({
    PreCompact: async (cut) => (told.push(cut), { context: "Mention the moon." }),
    PostCompact: async ({ compact_summary, tokens_before, tokens_after, usd }) => {
      heard.push(compact_summary, [tokens_before, tokens_after, usd]);
      return {};
    },
    SessionStart: async ({ source }) => (heard.push(source), { context: "Remember the moon." }),
  });
  const one = await compacted([writes()], { parts: { hooks } });
  expect(JSON.stringify(one.model.requests[0]?.messages.at(-1))).toContain("Mention the moon.");
  const { usedBefore, usedAfter, usd } = one.cut().price;
  expect(heard).toEqual([findCover(one).text, [usedBefore, usedAfter, usd], "compact"]);
  expect(one.sees()).toContain("Remember the moon.");
  expect(told).toMatchObject([
    { trigger: "manual", tier: "summary", items: 2, tokens_before: usedBefore },
  ]);
});

test("hooks are told of every tier of a cut; a veto spares only that tier, a stop all", async () => {
  let stop: AbortController | undefined;
  let told: unknown[] = [];
  let vetoed = ["budget", "snip"];
  const hooks = hooksWith({
    PreCompact: async ({ tier, items }) => {
      told.push([tier, items]);
      stop?.abort();
      return vetoed.includes(tier) ? { block: "keep it" } : { message: "Mind the files." };
    },
    PostCompact: async ({ tier, compact_summary, tokens_before, tokens_after }) => {
      told.push([tier, compact_summary, tokens_before, tokens_after]);
      return {};
    },
  });
  const one = await world([], {
    rules: { windowTokens: 80_000 },
    policy: { ...bareRules },
    parts: { hooks },
  });
  await one.add(user("do it"), ...reads("t0", "/w/large.ts", long.repeat(10)));
  for (let n = 1; n <= 20; n++) await one.add(...reads(`t${n}`, `/w/${n % 3}.ts`, long));
  await one.add(says("done"), user("go on"));
  const start = (signal = never) =>
    one.run(one.boundaries.turnStart(signal, { ask: () => Promise.reject() }));
  await start();
  expect(one.session.view.cuts).toEqual([]);
  [vetoed, stop] = [["snip"], new AbortController()];
  await start(stop.signal);
  expect([one.session.view.cuts, notes(one.log)]).toEqual([[], []]);
  [told, stop] = [[], undefined];
  await start();
  expect(notes(one.log)).toEqual(["Mind the files."]);
  const { changes, price } = one.cut();
  expect(changes).toMatchObject([{ kind: "replace", entry: "e4" }]);
  expect(told.slice(0, 3)).toEqual([
    ["budget", 1],
    ["snip", 17],
    ["budget", "", price.usedBefore, price.usedAfter],
  ]);
});

test("a readable copy is written, one message per line, and named in the summary", async () => {
  const written: [string, string][] = [];
  const one = await compacted([writes()], {
    parts: {
      transcripts: { dir: "/t", write: async (path, said) => void written.push([path, said]) },
    },
  });
  const [[path, said] = ["", ""]] = written;
  expect(path).toMatch(/^\/t\/transcript_2026-01-01T.*\.jsonl$/);
  const lines = said.trimEnd().split("\n");
  const roles = lines.map((line) => JSON.parse(line).role);
  expect(roles.join(" ")).toBe("user assistant user assistant user assistant user");
  expect(findCover(one).text).toContain(path);
});

test("a copy that cannot be written is reported and not named", async () => {
  const one = await compacted([writes()], {
    parts: { transcripts: { dir: "/t", write: () => Promise.reject(new Error("disk full")) } },
  });
  expect(notes(one.log).join()).toContain("disk full");
  expect(findCover(one).text).not.toContain("/t/transcript");
});

test("an empty conversation, or too little to compact, is left alone", async () => {
  const empty = await world([]);
  await empty.add(user("hello"));
  await empty.compact();
  expect(failures(empty.events)[0]).toContain("Nothing to compact");
  const small = await world([]);
  await small.add(user("hello"), says("hi"), user("go on"));
  await small.compact();
  expect(failures(small.events)[0]).toContain("a summary would cover only");
});

test("a summary larger than what it replaces is not used", async () => {
  const charsPerToken = { prose: 1.2, code: 1.2, result: 1.2 };
  const one = await world([writes()], { rules: { charsPerToken } });
  await one.add(user("x".repeat(125)), says("y".repeat(125)), user("go on"));
  const before = one.sees();
  await one.compact();
  expect(failures(one.events)).toEqual([
    "Not compacted: what must be kept is larger than what would be removed.",
  ]);
  expect(one.sees()).toBe(before);
});
