/** Subagents of a session: what they are given, their reports and questions, and how they end. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { isOfUser, listSessions } from "../../src/log/catalog.ts";
import { openLog } from "../../src/log/store.ts";
import { blockText } from "../../src/protocol/block.ts";
import type { Answer as UserAnswer } from "../../src/protocol/command.ts";
import type { Entry, EntryOf } from "../../src/protocol/entry.ts";
import type { AgentEvent, Ask } from "../../src/protocol/event.ts";
import { callCost } from "../../src/protocol/model.ts";
import type { OpenRun } from "../../src/run/open-run.ts";
import { stdioServer } from "../extensions/mcp/open-hub.ts";
import { call, say, type Answer, type ApiRequest } from "../fake-api/index.ts";
import { openedRuns, prompt, task, told, turn } from "./opened.ts";

let answer: (task: string | null, turn: number, request: ApiRequest) => Answer | Promise<Answer>;

/** The task in a subagent's request; null: it is the session's. */
function findTask({ system, messages }: ApiRequest): string | null {
  if (!JSON.stringify(system).includes("You work for another agent")) return null;
  return /TASK ([A-Z]+)/.exec(JSON.stringify(messages))?.[1] ?? "";
}

const runs = openedRuns("subagents", {
  responder: (request) => {
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    return answer(findTask(request), turn, request);
  },
});

const listNames = (request: ApiRequest | undefined) => request?.tools?.map(({ name }) => name);
const uses = (name: string, input: object) => ({ content: [call(name, input)] });
const starts = (...names: string[]) => ({
  content: names.flatMap((name) => task(`TASK ${name}`).content),
});
const reports = ({ log }: Pick<OpenRun, "log">): EntryOf<"result">[] =>
  log.path.flatMap((entry) => (entry.type === "result" ? [entry] : []));
/** The entries of a subagent. */
const readChild = ({ options }: Pick<OpenRun, "options">, session = ""): readonly Entry[] =>
  openLog(join(options.paths.projectSessions, `${session}.jsonl`), { readOnly: true }).path;
const reportText = (opened: Pick<OpenRun, "log">): string[] =>
  reports(opened).map(({ content }) => blockText(content));

/** Asks the user, and says how that was answered. */
const asking = (turn: number, request: ApiRequest) =>
  turn === 0
    ? uses("Bash", { command: "touch asked" })
    : say(JSON.stringify(request.messages).includes("denied this call") ? "Denied" : "Allowed");

const allow: UserAnswer = { allow: true, scope: "once" };
const deny: UserAnswer = { allow: false };

test("two work side by side; only their reports come back, and their cost is counted", async () => {
  await Bun.write(join(runs.cwd, "till.ts"), "export const till = 1;\n");
  const requests: ApiRequest[] = [];
  const both = Promise.withResolvers<void>();
  let begun = 0;
  answer = async (name, turn, request) => {
    requests.push(request);
    if (name === null) {
      const explores = task("TASK A", { subagent_type: "explore" }).content;
      return turn > 0
        ? say("Both are done.")
        : { content: [...explores, ...task("TASK B").content] };
    }
    if (turn > 0) return say(`REPORT of ${name}`);
    if (++begun === 2) both.resolve();
    await both.promise;
    return uses("Read", { file_path: "till.ts" });
  };
  const ended: unknown[] = [];
  const hooked: boolean[] = [];
  const opened = await runs.open([], [], {
    addHooks(hooks, isSubagent) {
      hooked.push(isSubagent);
      hooks.register("SubagentStop", undefined, async (input) => (ended.push(input), {}), {
        source: "test",
        name: "ended",
      });
    },
  });
  const events = await turn(opened, prompt("go"));
  expect(hooked).toEqual([false, true, true]);
  const last = JSON.stringify(requests.at(-1)?.messages);
  for (const words of ["REPORT of A", "REPORT of B"]) expect(last).toContain(words);
  expect(last).not.toContain("export const till");
  const explorer = requests.find((one) => findTask(one) === "A");
  expect(listNames(explorer)).toEqual(["Bash", "Glob", "Grep", "Read"]);
  expect(JSON.stringify(explorer)).toContain("Permission mode: plan");
  expect(JSON.stringify(explorer)).not.toContain("ExitPlanMode");
  expect(listNames(requests.find((one) => findTask(one) === "B"))).not.toContain("Agent");
  expect(events).toContainEqual(
    expect.objectContaining({ type: "progress", tail: "Read till.ts", bytes: 1 }),
  );
  const found = reports(opened)
    .flatMap(({ subagent }) => subagent ?? [])
    .toSorted((a, b) => (a.type < b.type ? -1 : 1));
  expect(found.map(({ type, calls, waitedMs }) => [type, calls, waitedMs])).toEqual([
    ["Explore", 1, undefined],
    ["general-purpose", 1, undefined],
  ]);
  const [first, second] = found;
  expect(ended).toContainEqual(
    expect.objectContaining({
      agent_id: first?.session,
      agent_type: "Explore",
      last_assistant_message: "REPORT of A",
    }),
  );
  const spent = (first?.usd ?? 0) + (second?.usd ?? 0);
  expect(first?.usd).toBeGreaterThan(0);
  expect(opened.meter().cost.session).toBeGreaterThan(spent);
  await opened.close();

  const folder = opened.options.paths.projectSessions;
  expect((await listSessions(folder)).filter(isOfUser)).toHaveLength(1);
  const path = readChild(opened, first?.session);
  expect(path[0]).toMatchObject({ startedBy: { session: opened.log.session, type: "Explore" } });
  answer = () => say("More.");
  const resumed = await runs.open([`--resume=${first?.session}`]);
  expect(await turn(resumed, prompt("and?"))).toContainEqual({ type: "idle", why: "done" });
  await resumed.close();
});

test("an agent of the trusted project has its own prompt, its model, and those of its tools that the session has", async () => {
  const file = join(runs.cwd, ".claude/agents/reviewer.md");
  const text =
    "---\nname: reviewer\ndescription: reviews\ntools: Read, Bash(git log:*), Grep\nmodel: haiku\n---\nBE STRICT.";
  await Bun.write(file, text);
  const seen: ApiRequest[] = [];
  answer = (name, turn, request) => {
    seen.push(request);
    if (name !== null || turn > 0) return say("done");
    return task("TASK R", { subagent_type: "reviewer" });
  };
  const listed = async (...flags: string[]) => {
    await runs.once(["--trust", ...flags], []);
    return listNames(seen.findLast((request) => findTask(request) !== null));
  };
  expect(await listed()).toEqual(["Bash", "Grep", "Read"]);
  expect(await listed("--tools=Read,Glob,Agent")).toEqual(["Read"]);
  const own = seen.find((request) => findTask(request) !== null);
  expect(JSON.stringify(own?.system)).toContain("BE STRICT.");
  expect(JSON.stringify(own?.system)).not.toContain("\\n\\n\\n");
  expect(own?.model).toContain("haiku");
  expect(reportText(await runs.once([], [])).join()).toContain("There is no agent “reviewer”");
});

test("an agent has the tools of MCP servers that it names, and its task attaches nothing", async () => {
  const requests: ApiRequest[] = [];
  answer = (name, turn, request) => {
    requests.push(request);
    if (name !== null && turn === 0)
      return {
        content: [call("mcp__small__echo", { text: "HEARD" }), call("mcp__small__env", {})],
      };
    if (name !== null || turn > 0) return say("done");
    return task("TASK M @small:note://a", { subagent_type: "echoer" });
  };
  const tools = ["mcp__small__echo"];
  const agents = [
    { name: "echoer", description: "", prompt: "Echo.", tools, model: null, readsOnly: false },
  ];
  const flags = [
    `--mcp-config=${JSON.stringify({ mcpServers: { small: stdioServer() } })}`,
    "--allowedTools=mcp__small",
  ];
  const opened = await runs.open(flags, [], { agents });
  opened.run.mcp?.start();
  await opened.run.mcp?.settled(20_000);
  await turn(opened, prompt("go"));
  const [, last] = requests.filter((one) => findTask(one) !== null);
  const said = JSON.stringify(last?.messages);
  expect(said).toContain("HEARD");
  expect(said).toContain("There is no tool mcp__small__env");
  expect(said).not.toContain("the note");
  expect(listNames(last)).toEqual(["ToolSearch", "mcp__small__echo"]);
  await opened.close();
});

test("variables that a SessionStart hook leaves are those of commands, in subagents too", async () => {
  const command = 'echo "export MARK=of-the-hook" >> "$CLAUDE_ENV_FILE"';
  const hooks = { SessionStart: [{ hooks: [{ type: "command", command }] }] };
  const print = uses("Bash", { command: 'printf "%s" "MARK is $MARK"' });
  const sent: string[] = [];
  answer = (name, turn, { messages }) => {
    sent.push(JSON.stringify(messages));
    if (name !== null) return turn === 0 ? print : say("done");
    return [starts("V"), print][turn] ?? say("done");
  };
  const flags = ["--permission-mode=bypass", "--settings", JSON.stringify({ hooks })];
  await runs.once(flags, []);
  expect(sent.filter((one) => one.includes('"MARK is of-the-hook"'))).toHaveLength(2);
});

test("they share what is left of the run's budget", async () => {
  answer = () => say("hi");
  const one = await runs.once([], []);
  let calls = 0;
  answer = (name, turn) => {
    calls += 1;
    // Never the same twice, so only the limit ends it.
    if (name !== null) return uses("Glob", { pattern: `${"x".repeat(turn + 1)}*` });
    return turn === 0 ? starts("A", "B", "C") : say("done");
  };
  const { events } = await runs.once([`--max-budget-usd=${one.meter().cost.session * 4}`], []);
  expect(events.at(-1)).toMatchObject({ why: "failed", limit: "budget" });
  // Any of the three can be in the middle of a call when the limit is reached.
  expect(calls).toBeLessThanOrEqual(7);
});

test("what its hooks ask a model counts toward its cost", async () => {
  answer = (name, turn, { tools = [] }) => {
    if (tools.length === 0) return say('{"ok": true}');
    if (turn > 0) return say("done");
    return name === null ? starts("A") : uses("Glob", { pattern: "*" });
  };
  const hook = { type: "prompt", prompt: "May it?" };
  const hooks = { PreToolUse: [{ matcher: "Glob", hooks: [hook] }] };
  const opened = await runs.once(["--settings", JSON.stringify({ hooks })], []);
  const subagent = reports(opened)[0]?.subagent;
  const path = readChild(opened, subagent?.session);
  const spent = path.flatMap((entry) => (entry.type === "note" && entry.spent) || []);
  expect(spent).toHaveLength(1);
  const usages = path.flatMap((entry) => (entry.type === "assistant" ? [entry.usage] : []));
  const { prices } = opened.run.rules;
  const own = usages.reduce((sum, usage) => sum + callCost(usage, prices), 0);
  expect(subagent?.usd).toBeCloseTo(own + (spent[0]?.usd ?? 0), 10);
  expect(subagent?.usage.output).toBe(
    [...usages, ...spent.map(({ usage }) => usage)].reduce((sum, { output }) => sum + output, 0),
  );
  expect(subagent).not.toHaveProperty("isEstimate");
});

test("the latest twenty steps are shown", async () => {
  const reads = Array.from({ length: 21 }, (_, at) => call("Read", { file_path: `${at}.txt` }));
  answer = (name, turn) => {
    if (turn > 0) return say("done");
    return name === null ? starts("A") : { content: reads };
  };
  const { events } = await runs.once([], []);
  const shown = events.filter((event) => event.type === "progress");
  const steps = Array.from({ length: 20 }, (_, at) => `Read ${at + 1}.txt`);
  expect(shown.at(-1)).toMatchObject({ tail: steps.join("\n"), bytes: 21 });
});

test("a failure is the report, with the last words; so is a fault of the program", async () => {
  answer = (name, turn) => {
    if (name === null) return turn === 0 ? starts("SILENT", "TIRED", "BROKEN") : say("done");
    if (turn === 1) return { status: 400, message: "No more." };
    const words = name === "SILENT" ? [] : say("I got this far.").content;
    return { content: [...words, call("Glob", { pattern: name })] };
  };
  const opened = await runs.once([], [], {
    addHooks: (hooks) =>
      hooks.register(
        "PostToolUse",
        undefined,
        async ({ tool_input }) => (tool_input["pattern"] === "SILENT" ? { stop: "enough" } : {}),
        { source: "test", name: "stop" },
      ),
    onSubagentEvent({ prompt: words }, { type }) {
      if (words === "TASK BROKEN" && type === "delta") throw new Error("The disk is full.");
    },
  });
  const found = reports(opened).map(({ content, isError, subagent }) => {
    return [blockText(content), isError ?? false, subagent?.calls];
  });
  expect(found).toContainEqual(["It ended without an answer.", false, 1]);
  expect(found).toContainEqual(["The disk is full.", true, 0]);
  expect(found).toContainEqual([
    expect.stringMatching(/refused the request.* Its last message: I got this far\.$/),
    true,
    1,
  ]);
});

/** Two subagents that each ask; `raised`: both have. */
function twoAsk() {
  answer = (name, turn, request) => {
    if (name !== null) return asking(turn, request);
    return turn === 0 ? starts("A", "B") : say("done");
  };
  const both = Promise.withResolvers<void>();
  let raises = 0;
  const onSubagentEvent = (_: unknown, { type }: AgentEvent): void => {
    if (type === "ask" && ++raises === 2) both.resolve();
  };
  return { raised: both.promise, onSubagentEvent };
}

test("questions of two are asked one after the other, and name the subagent", async () => {
  const { raised, onSubagentEvent } = twoAsk();
  const asked: Ask[] = [];
  const answers = [allow, deny];
  const askedBefore: number[] = [];
  const on = async (event: AgentEvent, { send }: OpenRun) => {
    if (event.type !== "ask") return;
    asked.push(event.ask);
    await raised;
    // Everything that needs no answer happens before this, and the wait is long enough to be counted.
    for (const sinceMs = performance.now(); performance.now() - sinceMs < 1;)
      await new Promise(setImmediate);
    askedBefore.push(asked.length);
    send({ type: "answer", id: event.ask.id, answer: answers.shift() ?? deny });
  };
  const opened = await runs.once([], [], { on, onSubagentEvent });
  expect(askedBefore).toEqual([1, 2]);
  for (const [at, words] of ["Allowed", "Denied"].entries()) {
    const report = reports(opened).find(
      ({ subagent }) => subagent?.session === asked[at]?.subagent,
    );
    expect(asked[at]?.title).toBe("general-purpose: Run a command");
    expect(blockText(report?.content ?? [])).toBe(words);
    expect(report?.subagent?.waitedMs).toBeGreaterThan(0);
  }
});

const hangs = say("Working on it.", { cut: { afterBlocks: 0, by: "stall" } });

/** A subagent in the background asks, once the turn that started it was stopped. */
async function inBackground(more: Parameters<typeof runs.open>[2], reply?: UserAnswer) {
  const begin = Promise.withResolvers<void>();
  answer = async (name, turn, request) => {
    const started = task("TASK A", { run_in_background: true });
    if (name === null) return [started, hangs][turn] ?? say("ok");
    if (turn === 0) await begin.promise;
    return asking(turn, request);
  };
  const opened = await runs.open([], [], { staysOpen: true, ...more });
  let asked: Ask | null = null;
  const on = (event: AgentEvent) => {
    if (event.type === "delta" && event.text === "Working") opened.send({ type: "stop" });
    if (event.type !== "ask") return;
    asked = event.ask;
    if (reply) opened.send({ type: "answer", id: event.ask.id, answer: reply });
  };
  const first = await turn(opened, prompt("go"), on);
  expect(first.at(-1)).toMatchObject({ why: "stopped" });
  expect(first.filter(({ type }) => type === "progress")).toEqual([]);
  begin.resolve();
  for (let ended = false; !ended;) {
    const { value } = await opened.events.next();
    if (value) on(value);
    ended = value?.type === "idle";
  }
  await opened.close();
  expect(reportText(opened).join()).toStartWith("Working in the background, in session ");
  const report = opened.log.path.find((entry) => entry.type === "context" && entry.subagent);
  expect(report).toMatchObject({ title: "report of general-purpose", subagent: { calls: 1 } });
  return { asked, said: told(report ? [report] : []) };
}

test("in the background it asks apart from its call, or a client is asked in its place; its report is news", async () => {
  const { asked, said } = await inBackground({}, allow);
  expect(asked).toMatchObject({ title: "general-purpose: Run a command", inBackground: true });
  expect(said).toBe("Allowed");
  const byClient = (reply: () => Promise<UserAnswer>) =>
    inBackground({
      async askInBackground(ask, { aborted }) {
        expect([ask.inBackground, aborted]).toEqual([true, false]);
        return reply();
      },
    });
  expect(await byClient(async () => allow)).toEqual({ asked: null, said: "Allowed" });
  const nobody = () => Promise.reject(new Error("Nobody is there."));
  expect(await byClient(nobody)).toEqual({ asked: null, said: "Denied" });
});

test("a question that is open, or waits, when its call goes to the background is asked there", async () => {
  const { raised, onSubagentEvent } = twoAsk();
  const later: Ask[] = [];
  const opened = await runs.open([], [], {
    staysOpen: true,
    onSubagentEvent,
    async askInBackground(ask) {
      later.push(ask);
      return allow;
    },
  });
  const asked: Ask[] = [];
  await turn(opened, prompt("go"), async (event) => {
    if (event.type !== "ask") return;
    asked.push(event.ask);
    await raised;
    const calls = opened.log.path.flatMap((entry) =>
      entry.type === "assistant" ? entry.content : [],
    );
    for (const block of calls)
      if (block.type === "tool_use") opened.send({ type: "background", toolUse: block.id });
  });
  const texts = (): string => told(opened.log.path);
  while (texts().split("Allowed").length < 3) await opened.events.next();
  await opened.close();
  expect(asked.map(({ inBackground }) => inBackground)).toEqual([undefined]);
  expect(later).toHaveLength(2);
  expect(later).toMatchObject([{ inBackground: true }, { inBackground: true }]);
});

test("a stop of the turn, of it alone, or the end of the session stops it", async () => {
  answer = (name, turn) => {
    if (name !== null) return hangs;
    return turn === 0 ? starts("A") : say("ok");
  };
  const words = "It was stopped before it finished.";
  const open = async (stop: (opened: OpenRun, session: string) => void, isEarly = false) => {
    const opened = await runs.open([], [], {
      // It is being opened.
      addHooks: (_, isSubagent) => isSubagent && isEarly && stop(opened, ""),
      onSubagentEvent({ session }, { type }) {
        if (type === "delta") stop(opened, session);
      },
    });
    await turn(opened, prompt("go"));
    await opened.close();
    const [result] = reports(opened);
    const last = readChild(opened, result?.subagent?.session).at(-1);
    return { report: reportText(opened).join(), isError: result?.isError, last };
  };
  const last = { type: "assistant", stop: "interrupted" };
  const whole = { report: `${words} Its last message: Working`, isError: true, last };
  const stopTurn = ({ send }: OpenRun): void => send({ type: "stop" });
  expect(await open(stopTurn)).toMatchObject(whole);
  expect(await open(stopTurn, true)).toMatchObject({ report: words, isError: true });
  expect(await open(({ run }, session) => run.subagents.stop(session))).toMatchObject(whole);
  expect(await open((opened) => void opened.close())).toMatchObject(whole);
});

test("the end of the session stops one in the background", async () => {
  answer = (name, turn) => {
    if (name !== null) return hangs;
    return turn === 0 ? task("TASK A", { run_in_background: true }) : say("ok");
  };
  const begun = Promise.withResolvers<string>();
  const opened = await runs.open([], [], {
    staysOpen: true,
    onSubagentEvent: ({ session }, { type }) => type === "delta" && begun.resolve(session),
  });
  await turn(opened, prompt("go"));
  const session = await begun.promise;
  await opened.close();
  const last = { type: "assistant", stop: "interrupted" };
  expect(readChild(opened, session).at(-1)).toMatchObject(last);
});
