/** Commands that change the view, the head or the session, each sent to a session of one turn. */

import { expect, test } from "bun:test";
import type { AgentCommand } from "../../src/protocol/command.ts";
import { contextFact } from "../../src/protocol/context-fact.ts";
import type { Change, Entry } from "../../src/protocol/entry.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { of, prompt, run, type RunOptions } from "./harness.ts";
import { says, ScriptedToolbox, uses } from "./scripted.ts";

/** e1 session, e2 prompt "go", e3 a call, e4 its result "ran read", e5 "done". */
const turn = [uses("t1", "read"), says("done")];

type AgentOptions = NonNullable<RunOptions["agent"]>;

/** Runs one turn, then the commands one after another. */
const after = (...commands: AgentCommand[]) => afterWith({}, ...commands);

async function afterWith(agent: AgentOptions, ...commands: AgentCommand[]) {
  const script = [...turn, ...Array.from({ length: 3 }, () => says("later"))];
  return run(script, {
    agent,
    next: commands,
    toolbox: new ScriptedToolbox(async ({ name, input }) => `ran ${name} ${JSON.stringify(input)}`),
  });
}

const latest = (entries: readonly Entry[]) => entries.at(-1);
const ended = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "idle" ? [event.message ?? event.why] : []));

const unlimited = "The budget for this session is no longer limited.";

test.each<[AgentCommand, object]>([
  [
    { type: "rename", title: "parser" },
    { type: "note", kind: "title", text: "parser" },
  ],
  [
    { type: "pin", entry: "e4", on: true },
    { type: "pin", entry: "e4", on: true },
  ],
  [{ type: "budget", scope: "session", usd: null }, { text: unlimited }],
])("%j is an entry", async (command, entry) => {
  const { log, events } = await after(command);
  expect(latest(log.path)).toMatchObject(entry);
  expect(ended(events)).toEqual(["done", "done"]);
  const budgets = events.filter(({ type }) => type === "budget");
  expect(budgets).toHaveLength(command.type === "budget" ? 1 : 0);
});

test.each([
  ["high", "The effort is now high."],
  [null, "The effort is now the model's own default."],
] as const)("effort: %p is used for the next request, and noted", async (effort, said) => {
  const commands = [{ type: "effort", effort } as const, prompt("and now?")];
  const { notes, model } = await afterWith({ effort: "low" }, ...commands);
  expect(model.requests[0]?.effort).toBe("low");
  expect(notes).toContain(said);
  expect(model.requests.at(-1)?.effort ?? null).toBe(effort);
});

test("remember: the model is told what was noted; a session without notes says so", async () => {
  const command = { type: "remember", note: "use tabs" } as const;
  const fact = contextFact("reminder", "note", "Noted.");
  const remember = async () => ({ fact, warning: "The notes are full." });
  const { log } = await afterWith({ remember }, command);
  expect(log.path.slice(-2)).toMatchObject([fact, { type: "note", text: "The notes are full." }]);
  const none = await after(command);
  expect(ended(none.events).at(-1)).toBe("This session keeps no notes.");
  expect(of(none.log.path, "context")).toEqual([]);
});

const ruledBy = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "rules" ? [event.rules.model] : []));

test("model: the next request goes to the one that is meant; the agent has its rules, and reports them", async () => {
  const resolveModelName = (name: string) => `my-${name}`;
  const commands = [{ type: "model", model: "other" } as const, prompt("and now?")];
  const { agent, model, events } = await afterWith({ resolveModelName }, ...commands);
  const models = model.requests.map((request) => request.model);
  expect(models).toEqual(["scripted", "scripted", "my-other"]);
  expect([...ruledBy(events), agent.rules.model]).toEqual(["my-other", "my-other"]);
});

test.each([
  ["a prompt", "e2", "go"],
  ["an answer", "e5", "done"],
  ["an answer without text", "e3", "(no text)"],
  ["a result", "e4", "ran read {}"],
  ["any other entry", "e1", "be good"],
])("recall: %s is repeated at the end", async (_, entry, words) => {
  const { log } = await after({ type: "recall", entry });
  const recalled = latest(log.path);
  expect(recalled).toMatchObject({ type: "context", kind: "recall", title: `entry ${entry}` });
  expect(JSON.stringify(recalled)).toContain(JSON.stringify(words).slice(1, -1));
});

test("shell: the command runs with the shell tool, and the model sees its output", async () => {
  const commands = [{ type: "shell", command: "ls" } as const, prompt("see?")];
  const { log, toolbox, sent, events } = await after(...commands);
  expect(toolbox.ran.at(-1)).toBe("shell-5");
  expect(of(log.path, "context")[0]).toMatchObject({ kind: "shell", title: "ls" });
  expect(sent).toContain("ran Bash");
  const shown = events.findIndex(({ type }) => type === "progress");
  expect(events.slice(shown - 1, shown + 1)).toEqual([
    { type: "phase", phase: "tools" },
    { type: "progress", toolUse: "shell-5", tail: "", bytes: 0 },
  ]);
});

const cutting = (...changes: Change[]): AgentCommand => ({ type: "cut", changes, reason: "large" });
const replaced = cutting({ kind: "replace", entry: "e4", text: "(removed)" });
const redo = (cut: string) => ({ type: "restore", cut, redo: true }) as const;
const covered = (from: string, to: string): AgentCommand =>
  cutting({ kind: "cover", span: { from, to }, text: "What happened." });

const covers = [covered("e2", "e5"), covered("e2", "e5")];

test("cut and restore, of a part: the model sees the change, then the original again", async () => {
  const { log, model, events } = await after(
    replaced,
    prompt("one"),
    { type: "restore", cut: "e6", entry: "e4" },
    prompt("two"),
  );
  expect(log.get("e6")).toMatchObject({ type: "cut", tier: "manual", trigger: "inspector" });
  const sent = model.requests.slice(2).map(({ messages }) => JSON.stringify(messages));
  expect(sent[0]).toContain("(removed)");
  expect(sent[1]).toContain("ran read");
  expect(sent[1]).not.toContain("(removed)");
  expect(ended(events)).toEqual(["done", "done", "done", "done", "done"]);
});

test("redo: what was undone applies again, without a call", async () => {
  const { log, sent } = await after(
    replaced,
    { type: "restore", cut: "e6" },
    redo("e6"),
    prompt("one"),
  );
  expect(of(log.path, "restore").map((entry) => entry.redo)).toEqual([undefined, true]);
  expect(sent).toContain("(removed)");
});

test("a summary that a later one crosses is not redone", async () => {
  const { logged, events } = await after(
    prompt("two"),
    covered("e2", "e7"),
    { type: "restore", cut: "e8" },
    prompt("three"),
    covered("e6", "e11"),
    redo("e8"),
  );
  expect(logged).toEndWith("user assistant cut restore user assistant cut note");
  expect(ended(events).at(-1)).toContain(
    "A later summary overlaps this cut: undo the summary first.",
  );
});

test.each<[message: string, ...AgentCommand[]]>([
  ["This compaction has already been undone.", { type: "restore", cut: "e9" }],
  ["part of a summary", replaced, { type: "restore", cut: "e6", entry: "e2" }],
  ["A newer summary covers this one", ...covers, { type: "restore", cut: "e6" }],
  ["This compaction is in effect.", replaced, redo("e6")],
  ["There is no such compaction.", replaced, redo("e2")],
  ["This session has no entry e99.", { type: "recall", entry: "e99" }],
  ["no entry e99", { type: "rewind", to: "e99", files: true, conversation: true }],
])("“%s” is said, and the session continues", async (message, ...commands) => {
  const { events } = await after(...commands, prompt("and now?"));
  expect(ended(events).at(-2)).toContain(message);
  expect(ended(events).at(-1)).toBe("done");
});

test("rewind of the files alone leaves the conversation where it is, and is their latest change", async () => {
  const files = [{ path: "/w/a", before: null, after: "a".repeat(64) }];
  for (const conversation of [false, true]) {
    const rewindFiles = async () => ({ text: "1 file", files });
    const rewind = { type: "rewind", to: "e2", files: true, conversation } as const;
    const { log } = await afterWith({ rewindFiles }, rewind);
    expect(of(log.path, "head")).toHaveLength(conversation ? 1 : 0);
    expect(of(log.path, "checkpoint")).toMatchObject(conversation ? [] : [{ files }]);
    expect(latest(log.path)).toMatchObject({ type: "note", kind: "info", text: "1 file" });
  }
});

test("rewind to before a change of the model goes back to the model of that time, and its rules", async () => {
  const { events, model, logged } = await after(
    { type: "model", model: "another" },
    { type: "rewind", to: "e2", files: false, conversation: true },
    prompt("and now?"),
  );
  expect(ruledBy(events)).toEqual(["another", "scripted"]);
  expect(model.requests.at(-1)?.model).toBe("scripted");
  expect(logged).toBe("session user head model user assistant");
});

test("the permission mode changes at once and is reported once; an earlier one that is refused after it changes nothing", async () => {
  const toolbox = new ScriptedToolbox();
  const sandbox = Promise.withResolvers<string>();
  toolbox.whyNoAuto = () => sandbox.promise;
  const { events, notes } = await run(turn, {
    toolbox,
    on: (event, send) => {
      if (event.type === "mode") sandbox.resolve("Nothing can be confined here.");
      if (event.type !== "phase" || event.phase !== "tools") return;
      send({ type: "mode", mode: "auto" });
      send({ type: "mode", mode: "plan" });
    },
  });
  expect(events.filter(({ type }) => type === "mode")).toEqual([{ type: "mode", mode: "plan" }]);
  expect(toolbox.mode).toBe("plan");
  expect(notes).toEqual([]);
});

test("mode auto that cannot be had is accept-edits, and the reason is noted", async () => {
  const toolbox = new ScriptedToolbox();
  toolbox.whyNoAuto = async () => "Nothing can be confined here.";
  const { notes } = await run(turn, {
    toolbox,
    replies: { delta: { type: "mode", mode: "auto" } },
  });
  expect([toolbox.mode, notes]).toEqual(["accept-edits", ["Nothing can be confined here."]]);
});

test("queued prompts can be discarded before they are sent", async () => {
  const { log, events } = await run(turn, {
    on: (event, send) => {
      if (event.type !== "phase" || event.phase !== "tools") return;
      send(prompt("never mind"));
      send({ type: "unqueue" });
    },
  });
  expect(of(log.path, "user")).toHaveLength(1);
  const queues = events.flatMap((event) => (event.type === "queue" ? [event.waiting] : []));
  expect(queues.slice(-2)).toEqual([["never mind"], []]);
});

test.each(["ask", "progress"] as const)(
  "a call can be sent to the background at its %s",
  async (moment) => {
    const toolbox = new ScriptedToolbox(async (_, { background, progress }) => {
      progress("working", 7);
      await background;
      return "continues in the background";
    });
    const { sent } = await run([uses("t1", "write"), says("ok")], {
      toolbox,
      replies: { [moment]: { type: "background", toolUse: "t1" } },
      answer: { allow: true, scope: "once" },
    });
    expect(sent).toContain("continues in the background");
  },
);

test("a rewind undoes the checkpoints that it leaves and redoes those of the branch that it enters", async () => {
  const rewinds: [undo: string[], redo: string[]][] = [];
  const toolbox = new ScriptedToolbox();
  const runs = toolbox.run.bind(toolbox);
  toolbox.run = async (call, options) => ({
    ...(await runs(call, options)),
    checkpoint: [{ path: `/w/${call.id}`, before: null, after: null }],
  });
  const ids = (entries: readonly Entry[]) => entries.map(({ id }) => id);
  const next: AgentCommand[] = [
    { type: "rewind", to: "e1", files: true, conversation: true },
    prompt("other\n  words"),
    { type: "rewind", to: "e6", files: true, conversation: true },
  ];
  const { log } = await run([...turn, uses("t2", "free"), says("ok")], {
    toolbox,
    next,
    prompts: ["/review"],
    findCommand: async () => null,
    agent: {
      rewindFiles: async ({ undo, redo }) => {
        rewinds.push([ids(undo), ids(redo)]);
        return { text: "", files: [] };
      },
    },
  });
  const checkpoints = ids(of(log.entries, "checkpoint"));
  const [first = "", second = ""] = checkpoints;
  expect(rewinds).toEqual([
    [[first], []],
    [[second], [first]],
  ]);
  expect(of(log.entries, "head").map(({ why }) => why)).toEqual([
    "Rewound to before “/review”",
    "Switched to the branch with “/review”",
  ]);
});
