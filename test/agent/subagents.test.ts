/** Subagents of a session: their reports, their questions, and how they end. */

import { expect, test } from "bun:test";
import type { Agent } from "../../src/agent/agent.ts";
import { builtInSubagents, Subagents, type OpenedSubagent } from "../../src/agent/subagents.ts";
import type { ToolUseBlock } from "../../src/protocol/block.ts";
import type { Answer, AgentCommand } from "../../src/protocol/command.ts";
import type { AgentEvent, Ask } from "../../src/protocol/event.ts";
import type { ToolRun } from "../../src/tools/tool.ts";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";
import { askAbout } from "../questions.ts";
import { saying } from "./saying.ts";
import { rules } from "./scripted.ts";

const call = (path: string): ToolUseBlock => {
  return { type: "tool_use", id: path, name: "Read", input: { path } };
};
const done: AgentEvent = { type: "idle", why: "done" };

const question = (id: string): AgentEvent => ({ type: "ask", ask: askAbout(id, { id }) });

type Script = (next: () => Promise<AgentCommand | undefined>) => AsyncGenerator<AgentEvent, void>;

const agentThat = (script: Script): Agent => ({
  async *run(commands) {
    const reader = commands[Symbol.asyncIterator]();
    const next = async () => (await reader.next()).value;
    await next();
    yield* script(next);
  },
  close: async () => undefined,
  ask: async () => ({ allow: false }),
  changed: () => undefined,
  rules,
});

/** The agent of each task, by its prompt. */
function startSubagents(
  scripts: Record<string, Script>,
  more: {
    send?(command: AgentCommand): void;
    askInBackground?(ask: Ask, signal: AbortSignal): Promise<Answer>;
  } = {},
) {
  const ended: unknown[] = [];
  const closed: string[] = [];
  const entries: string[] = [];
  const hooks = hooksWith({
    SubagentStop: async (input) => {
      ended.push(input);
      return {};
    },
  });
  const subagents = new Subagents({
    choices: [{ name: "scout", description: "Looks." }],
    async open({ prompt }, toolUse): Promise<OpenedSubagent> {
      const script = scripts[prompt];
      if (!script) throw new Error(`Nobody does ${prompt}.`);
      return {
        session: `s-${toolUse}`,
        agent: agentThat(script),
        model: "m",
        prices: rules.prices,
        close: async () => void closed.push(prompt),
      };
    },
    hooks,
    onEvent({ toolUse }, event) {
      if (event.type === "entry") entries.push(`${toolUse} ${event.entry.type}`);
    },
    askInBackground: async () => ({ allow: false, reason: "Nobody is there." }),
    ...more,
  });
  return { subagents, ended, closed, entries };
}

function makeRun(
  toolUse: string,
  more: Partial<ToolRun> = {},
): ToolRun & { seen: [string, number][] } {
  const seen: [string, number][] = [];
  return {
    toolUse,
    path: null,
    signal: new AbortController().signal,
    progress: (tail, count) => seen.push([tail, count]),
    background: new Promise(() => undefined),
    ask: async () => ({ allow: true, scope: "once" }),
    checkpoint: async () => undefined,
    seen,
    ...more,
  };
}

const task = (prompt: string) => ({ type: "scout", prompt, model: null });

test("a report comes back with its cost; the hook and the log are told of its end", async () => {
  const { subagents, ended, closed, entries } = startSubagents({
    async *look() {
      yield saying("Looking.", call("/a"), call("/b"));
      yield saying("Found it.");
      yield done;
    },
  });
  expect(subagents.choices).toEqual([{ name: "scout", description: "Looks." }]);
  const run = makeRun("t1");
  const { session, report, detach } = await subagents.start(task("look"), run);
  expect(session).toBe("s-t1");
  expect(detach).toBeNull();
  expect(await report).toEqual({
    content: [{ type: "text", text: "Found it." }],
    subagent: {
      session: "s-t1",
      type: "scout",
      model: "m",
      calls: 2,
      usage: expect.objectContaining({ input: 200, output: 40 }),
      usd: expect.any(Number),
    },
  });
  expect(run.seen).toEqual([
    ["Read /a", 1],
    ["Read /a\nRead /b", 2],
  ]);
  expect(entries).toEqual(["t1 assistant", "t1 assistant"]);
  expect(closed).toEqual(["look"]);
  expect(ended).toMatchObject([
    { agent_id: "s-t1", agent_type: "scout", last_assistant_message: "Found it." },
  ]);
});

test("only its latest twenty steps are shown", async () => {
  const files = Array.from({ length: 21 }, (_, index) => `/${index + 1}`);
  const { subagents } = startSubagents({
    async *look() {
      yield saying("Looking.", ...files.map(call));
      yield done;
    },
  });
  const run = makeRun("t1");
  await (
    await subagents.start(task("look"), run)
  ).report;
  const tail = files.slice(1).map((path) => `Read ${path}`);
  expect(run.seen.at(-1)).toEqual([tail.join("\n"), 21]);
});

test("a failure is the report, with the last words; so is a log that breaks", async () => {
  const { subagents } = startSubagents({
    async *silent() {
      yield done;
    },
    async *tired() {
      yield saying("I got this far.");
      yield { type: "idle", why: "failed", message: "The model is overloaded." };
    },
    async *broken() {
      yield saying("Hello.");
      throw new Error("The disk is full.");
    },
  });
  const fetchReport = async (prompt: string) =>
    (await subagents.start(task(prompt), makeRun(prompt))).report;
  const fetchText = async (prompt: string) => {
    const { content, isError } = await fetchReport(prompt);
    return { text: Object(content[0]).text, isError };
  };
  expect(await fetchText("silent")).toEqual({
    text: "It ended without an answer.",
    isError: undefined,
  });
  expect(await fetchText("tired")).toEqual({
    text: "The model is overloaded. Its last message: I got this far.",
    isError: true,
  });
  expect(await fetchText("broken")).toEqual({ text: "The disk is full.", isError: true });
  expect((await fetchReport("broken")).subagent).toMatchObject({ calls: 0, usd: 0 });
});

test("questions of two subagents are asked one after the other, and name the subagent", async () => {
  const asked: Ask[] = [];
  const answers = [Promise.withResolvers<Answer>(), Promise.withResolvers<Answer>()];
  const ask = (one: Ask): Promise<Answer> => {
    const index = asked.push(one) - 1;
    return answers[index]?.promise ?? Promise.reject(new Error("It asked too often."));
  };
  const raised = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let count = 0;
  const asking: Script = async function* (next) {
    yield question("q");
    raised[count++]?.resolve();
    const command = await next();
    yield saying(command?.type === "answer" && command.answer.allow ? "yes" : "no");
    yield done;
  };
  const { subagents } = startSubagents({ one: asking, two: asking });
  const sinceMs = performance.now();
  const first = await subagents.start(task("one"), makeRun("t1", { ask }));
  const second = await subagents.start(task("two"), makeRun("t2", { ask }));
  await Promise.all(raised.map(({ promise }) => promise));
  // Everything that needs no answer happens before this.
  await new Promise(setImmediate);
  expect(asked).toMatchObject([{ id: "t1:q", title: "scout: run q" }]);
  answers[0]?.resolve({ allow: true, scope: "once" });
  const { content, subagent } = await first.report;
  expect(content).toEqual([{ type: "text", text: "yes" }]);
  expect(subagent?.waitedMs ?? 0).toBeLessThanOrEqual(Math.ceil(performance.now() - sinceMs));
  await new Promise(setImmediate);
  expect(asked).toMatchObject([{}, { id: "t2:q" }]);
  answers[1]?.resolve({ allow: false });
  expect((await second.report).content).toEqual([{ type: "text", text: "no" }]);
});

test("in the background it is not asked about through its call, and its report is delivered as news", async () => {
  const news = Promise.withResolvers<AgentCommand>();
  const begin = Promise.withResolvers<void>();
  const parent = new AbortController();
  const { subagents } = startSubagents(
    {
      async *slow(next) {
        await begin.promise;
        yield question("q");
        const command = await next();
        const reason = command?.type === "answer" && !command.answer.allow && command.answer.reason;
        yield saying(`Denied: ${reason}`, call("/late"));
        yield done;
      },
    },
    { send: news.resolve },
  );
  const run = makeRun("t1", {
    signal: parent.signal,
    ask: () => Promise.reject(new Error("The call has ended.")),
  });
  const { detach } = await subagents.start(task("slow"), run);
  detach?.();
  // The call that started it has ended, so stopping the turn does not stop it.
  parent.abort();
  begin.resolve();
  expect(await news.promise).toMatchObject({
    type: "news",
    title: "report of scout",
    text: "Denied: Nobody is there.",
    subagent: { session: "s-t1", calls: 1 },
  });
  expect(run.seen).toEqual([]);
});

test("in the background a client answers its questions, until it is stopped", async () => {
  const asked = Promise.withResolvers<{ ask: Ask; signal: AbortSignal }>();
  const answer = Promise.withResolvers<Answer>();
  const news = Promise.withResolvers<AgentCommand>();
  const begin = Promise.withResolvers<void>();
  const { subagents } = startSubagents(
    {
      async *slow(next) {
        await begin.promise;
        yield question("q");
        const command = await next();
        yield saying(command?.type === "answer" && command.answer.allow ? "Allowed" : "Denied");
        yield done;
      },
    },
    {
      send: news.resolve,
      askInBackground(ask, signal) {
        asked.resolve({ ask, signal });
        return answer.promise;
      },
    },
  );
  const { detach } = await subagents.start(task("slow"), makeRun("t1", {}));
  detach?.();
  begin.resolve();
  const { ask, signal } = await asked.promise;
  expect(ask).toMatchObject({
    id: "t1:q",
    title: "scout: run q",
    subagent: "s-t1",
    inBackground: true,
  });
  expect(signal.aborted).toBe(false);
  answer.resolve({ allow: true, scope: "once" });
  expect(await news.promise).toMatchObject({ text: "Allowed" });
});

test("a question that waited while its call went to the background is not asked through the call", async () => {
  const first = Promise.withResolvers<Answer>();
  const raised = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const news = Promise.withResolvers<AgentCommand>();
  let count = 0;
  const asking: Script = async function* (next) {
    yield question("q");
    raised[count++]?.resolve();
    const command = await next();
    yield saying(command?.type === "answer" && command.answer.allow ? "Allowed" : "Denied");
    yield done;
  };
  const asked: Ask[] = [];
  const { subagents } = startSubagents(
    { one: asking, two: asking },
    {
      send: news.resolve,
      async askInBackground(ask) {
        asked.push(ask);
        return { allow: true, scope: "once" };
      },
    },
  );
  await subagents.start(task("one"), makeRun("t1", { ask: () => first.promise }));
  const ended = () => Promise.reject(new Error("The call has ended."));
  const second = await subagents.start(task("two"), makeRun("t2", { ask: ended }));
  await Promise.all(raised.map(({ promise }) => promise));
  second.detach?.();
  first.resolve({ allow: true, scope: "once" });
  expect(await news.promise).toMatchObject({ text: "Allowed" });
  expect(asked).toMatchObject([{ title: "scout: run q", inBackground: true }]);
});

test("a question that is open when its call goes to the background is asked again there, and holds up no other", async () => {
  const news = Promise.withResolvers<AgentCommand>();
  const asking: Script = async function* (next) {
    yield question("q");
    const command = await next();
    yield saying(command?.type === "answer" && command.answer.allow ? "Allowed" : "Denied");
    yield done;
  };
  const inBackground = Promise.withResolvers<Ask>();
  const answer = Promise.withResolvers<Answer>();
  const { subagents } = startSubagents(
    { one: asking, two: asking },
    {
      send: news.resolve,
      askInBackground(ask) {
        inBackground.resolve(ask);
        return answer.promise;
      },
    },
  );
  const isOpen = Promise.withResolvers<Ask>();
  const ask = (open: Ask): Promise<Answer> => {
    isOpen.resolve(open);
    return new Promise(() => undefined);
  };
  const first = await subagents.start(task("one"), makeRun("t1", { ask }));
  const second = await subagents.start(task("two"), makeRun("t2"));
  expect((await isOpen.promise).inBackground).toBeUndefined();
  first.detach?.();
  expect(await inBackground.promise).toMatchObject({ id: "t1:q", inBackground: true });
  expect((await second.report).content).toEqual([{ type: "text", text: "Allowed" }]);
  answer.resolve({ allow: true, scope: "once" });
  expect(await news.promise).toMatchObject({ text: "Allowed" });
});

test("a stopped call, or the end of the session, stops it and waits for its log", async () => {
  const waiting: Script = async function* (next) {
    yield saying("Working.");
    const command = await next();
    if (command?.type === "stop") yield { type: "idle", why: "stopped" };
  };
  const { subagents, closed } = startSubagents({ first: waiting, second: waiting, third: waiting });
  const stop = new AbortController();
  const first = await subagents.start(task("first"), makeRun("t1", { signal: stop.signal }));
  stop.abort();
  const words = "It was stopped before it finished. Its last message: Working.";
  expect(await first.report).toMatchObject({ content: [{ text: words }], isError: true });
  const late = await subagents.start(task("second"), makeRun("t2", { signal: stop.signal }));
  expect(await late.report).toMatchObject({ isError: true });
  const third = await subagents.start(task("third"), makeRun("t3"));
  await subagents.close();
  expect(closed).toEqual(["first", "second", "third"]);
  expect(await third.report).toMatchObject({ isError: true });
});

test("of the built-in ones, Explore only reads", () => {
  const reading = builtInSubagents.filter(({ readsOnly }) => readsOnly);
  expect(reading.map(({ name }) => name)).toEqual(["Explore"]);
  for (const tool of ["Edit", "Write", "Agent"]) expect(reading[0]?.tools).not.toContain(tool);
});
