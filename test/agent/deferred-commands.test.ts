/** Commands that change the view, the head or the session, each sent to a session of one turn. */

import { expect, test } from "bun:test";
import type { AgentCommand } from "../../src/protocol/command.ts";
import { contextFact } from "../../src/protocol/context-fact.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { of, prompt, run } from "./harness.ts";
import { ScriptedToolbox, text, use } from "./scripted.ts";

/** e1 session, e2 prompt "go", e3 a call, e4 its result "ran read", e5 "done". */
const turn = [{ blocks: [use("t1", "read")] }, { blocks: [text("done")] }];

/** Runs one turn, then the commands one after another. */
async function after(...commands: AgentCommand[]) {
  const script = [...turn, ...Array.from({ length: 3 }, () => ({ blocks: [text("later")] }))];
  return run(script, {
    next: commands,
    toolbox: new ScriptedToolbox(async ({ name, input }) => `ran ${name} ${JSON.stringify(input)}`),
  });
}

const latest = (entries: readonly Entry[]) => entries.at(-1);
const ended = (events: Awaited<ReturnType<typeof after>>["events"]) =>
  events.flatMap((event) => (event.type === "idle" ? [event.message ?? event.why] : []));

test("rename: the title is a note", async () => {
  const { log, events } = await after({ type: "rename", title: "the parser" });
  expect(latest(log.path)).toMatchObject({ type: "note", kind: "title", text: "the parser" });
  expect(ended(events)).toEqual(["done", "done"]);
});

test.each([
  ["high", "The effort is now high."],
  [null, "The effort is now the model's own default."],
] as const)("effort: %p is used for the next request, and noted", async (effort, said) => {
  const { log, model } = await after({ type: "effort", effort }, prompt("and now?"));
  expect(of(log.path, "note").map(({ text: note }) => note)).toContain(said);
  expect(model.requests.at(-1)?.effort ?? null).toBe(effort);
});

test("remember: a session without notes says so", async () => {
  const { log, events } = await after({ type: "remember", note: "use tabs" });
  expect(ended(events).at(-1)).toBe("This session keeps no notes.");
  expect(of(log.path, "context")).toEqual([]);
});

test("remember: the model is told what was noted", async () => {
  const { log } = await run(turn, {
    agent: {
      remember: async (note) => ({
        fact: contextFact("reminder", "note", `Noted: ${note}`),
        warning: "The notes are full.",
      }),
    },
    next: [{ type: "remember", note: "use tabs" }],
  });
  expect(JSON.stringify(of(log.path, "context"))).toContain("Noted: use tabs");
  expect(latest(log.path)).toMatchObject({ type: "note", text: "The notes are full." });
});

test("pin: the entry is pinned in the view", async () => {
  const { log } = await after({ type: "pin", entry: "e4", on: true });
  expect(latest(log.path)).toMatchObject({ type: "pin", entry: "e4", on: true });
});

test("model: the next request goes to it, and its rules are reported", async () => {
  const { model, events } = await after({ type: "model", model: "another" }, prompt("and now?"));
  expect(model.requests.map((request) => request.model).join(" ")).toBe(
    "scripted scripted another",
  );
  expect(events.flatMap((event) => (event.type === "rules" ? [event.rules.model] : []))).toEqual([
    "another",
  ]);
});

test("model: a short name is resolved", async () => {
  const { model } = await run([{ blocks: [text("a")] }, { blocks: [text("b")] }], {
    next: [{ type: "model", model: "short" }, prompt("and now?")],
    idles: 3,
    agent: { resolveModelName: (name) => `full-${name}` },
  });
  expect(model.requests.at(-1)?.model).toBe("full-short");
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
  const { log, toolbox, model, events } = await after(
    { type: "shell", command: "ls" },
    prompt("see?"),
  );
  expect(toolbox.ran.at(-1)).toBe("shell-5");
  expect(of(log.path, "context")[0]).toMatchObject({ kind: "shell", title: "ls" });
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("ran Bash");
  const shown = events.findIndex(({ type }) => type === "progress");
  expect(events.slice(shown - 1, shown + 1)).toEqual([
    { type: "phase", phase: "tools" },
    { type: "progress", toolUse: "shell-5", tail: "", bytes: 0 },
  ]);
});

const replace = { kind: "replace" as const, entry: "e4", text: "(removed)" };

test("cut and restore: the model sees the change, then the original again", async () => {
  const { log, model, events } = await after(
    { type: "cut", changes: [replace], reason: "large" },
    prompt("one"),
    { type: "restore", cut: "e6" },
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
  const { log, model } = await after(
    { type: "cut", changes: [replace], reason: "large" },
    { type: "restore", cut: "e6" },
    { type: "restore", cut: "e6", redo: true },
    prompt("one"),
  );
  expect(log.path.flatMap((entry) => (entry.type === "restore" ? [entry.redo] : []))).toEqual([
    undefined,
    true,
  ]);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("(removed)");
  const again = await after(
    { type: "cut", changes: [replace], reason: "large" },
    { type: "restore", cut: "e6", redo: true },
    { type: "restore", cut: "e2", redo: true },
  );
  expect(ended(again.events).slice(-2)).toEqual([
    expect.stringContaining("This compaction is in effect."),
    expect.stringContaining("There is no such compaction."),
  ]);
});

test("an older summary under a newer one is not undone, and the newer one is named", async () => {
  const cover = (to: string): AgentCommand => {
    const changes = [{ kind: "cover" as const, span: { from: "e2", to }, text: "What happened." }];
    return { type: "cut", changes, reason: "long" };
  };
  const { events } = await after(cover("e5"), cover("e5"), { type: "restore", cut: "e6" });
  expect(ended(events).at(-1)).toContain("A newer summary covers this one");
});

test("a summary that a later one crosses is not redone", async () => {
  const cover = (from: string, to: string): AgentCommand => {
    const changes = [{ kind: "cover" as const, span: { from, to }, text: "What happened." }];
    return { type: "cut", changes, reason: "long" };
  };
  const { log, events } = await after(
    prompt("two"),
    cover("e2", "e7"),
    { type: "restore", cut: "e8" },
    prompt("three"),
    cover("e6", "e11"),
    { type: "restore", cut: "e8", redo: true },
  );
  expect(
    log.path
      .map(({ type }) => type)
      .slice(5)
      .join(" "),
  ).toBe("user assistant cut restore user assistant cut note");
  expect(ended(events).at(-1)).toContain(
    "A later summary overlaps this cut: undo the summary first.",
  );
});

test("restore for one entry undoes that part; another entry is refused", async () => {
  const cut: AgentCommand = { type: "cut", changes: [replace], reason: "large" };
  const part = await after(cut, { type: "restore", cut: "e6", entry: "e4" });
  expect(latest(part.log.path)).toMatchObject({ type: "restore", cut: "e6", entry: "e4" });
  const other = await after(cut, { type: "restore", cut: "e6", entry: "e2" });
  expect(ended(other.events).at(-1)).toContain("part of a summary");
});

test.each<[AgentCommand, string]>([
  [{ type: "restore", cut: "e9" }, "This compaction has already been undone."],
  [{ type: "recall", entry: "e99" }, "This session has no entry e99."],
  [{ type: "rewind", to: "e99", files: true, conversation: true }, "no entry e99"],
])("%j fails with a message, and the session continues", async (command, message) => {
  const { events } = await after(command, prompt("and now?"));
  expect(ended(events)[1]).toContain(message);
  expect(ended(events)[2]).toBe("done");
});

test("rewind of the files alone leaves the conversation where it is, and is their latest change", async () => {
  const files = [{ path: "/w/a", before: null, after: "a".repeat(64) }];
  for (const conversation of [false, true]) {
    const { log } = await run(turn, {
      next: [{ type: "rewind", to: "e2", files: true, conversation }],
      agent: { rewindFiles: async () => ({ text: "1 file", files }) },
    });
    expect(of(log.path, "head")).toHaveLength(conversation ? 1 : 0);
    expect(of(log.path, "checkpoint")).toMatchObject(conversation ? [] : [{ files }]);
    expect(latest(log.path)).toMatchObject({ type: "note", kind: "info", text: "1 file" });
  }
});

test("rewind to before a change of the model goes back to the model of that time, and its rules", async () => {
  const { events, model, log } = await after(
    { type: "model", model: "another" },
    { type: "rewind", to: "e2", files: false, conversation: true },
    prompt("and now?"),
  );
  const rules = events.flatMap((event) => (event.type === "rules" ? [event.rules.model] : []));
  expect(rules).toEqual(["another", "scripted"]);
  expect(model.requests.at(-1)?.model).toBe("scripted");
  expect(of(log.path, "model").map(({ model: name }) => name)).toEqual(["scripted"]);
});

test("rewind of the conversation alone touches no file", async () => {
  const { log } = await after({ type: "rewind", to: "e2", files: false, conversation: true });
  expect(log.path.map(({ id }) => id)).toEqual(["e1", "e2", "e6"]);
});

test("the permission mode changes at once and is reported once", async () => {
  const { events, toolbox } = await run(turn, {
    on: (event, send) => {
      if (event.type === "phase" && event.phase === "tools") send({ type: "mode", mode: "plan" });
    },
  });
  expect(events.filter(({ type }) => type === "mode")).toEqual([{ type: "mode", mode: "plan" }]);
  expect(toolbox.mode).toBe("plan");
});

test("the last requested mode wins even when an earlier one is refused after it", async () => {
  const toolbox = new ScriptedToolbox();
  const sandbox = Promise.withResolvers<string>();
  toolbox.whyNoAuto = () => sandbox.promise;
  const { events, log } = await run(turn, {
    toolbox,
    on: (event, send) => {
      if (event.type === "mode") sandbox.resolve("Nothing can be confined here.");
      if (event.type !== "phase" || event.phase !== "tools") return;
      send({ type: "mode", mode: "auto" });
      send({ type: "mode", mode: "plan" });
    },
  });
  const modes = events.flatMap((event) => (event.type === "mode" ? [event.mode] : []));
  expect(new Set(modes)).toEqual(new Set(["plan"]));
  expect(toolbox.mode).toBe("plan");
  expect(of(log.path, "note")).toEqual([]);
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

test("a call that was sent to the background before it ran goes there at once", async () => {
  const toolbox = new ScriptedToolbox(async (_, { background }) => {
    await background;
    return "continues in the background";
  });
  const { log } = await run([{ blocks: [use("t1", "write")] }, { blocks: [text("ok")] }], {
    toolbox,
    on: (event, send) => {
      if (event.type !== "ask") return;
      send({ type: "background", toolUse: "t1" });
      send({ type: "answer", id: event.ask.id, answer: { allow: true, scope: "once" } });
    },
  });
  expect(JSON.stringify(of(log.path, "result"))).toContain("continues in the background");
});

test("a running call can be sent to the background", async () => {
  const toolbox = new ScriptedToolbox(async (_, { background, progress }) => {
    progress("working", 7);
    await background;
    return "continues in the background";
  });
  const { log } = await run(turn, {
    toolbox,
    on: (event, send) => {
      if (event.type === "progress") send({ type: "background", toolUse: event.toolUse });
    },
  });
  expect(JSON.stringify(of(log.path, "result"))).toContain("continues in the background");
});

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
  const { log } = await run([...turn, { blocks: [use("t2", "free")] }, { blocks: [text("ok")] }], {
    toolbox,
    next,
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
    "Rewound to before “go”",
    "Switched to the branch with “go”",
  ]);
});
