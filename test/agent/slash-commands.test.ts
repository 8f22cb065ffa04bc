import { expect, test } from "bun:test";
import { of, prompt, run, type SlashCommand } from "./harness.ts";
import { says, ScriptedToolbox } from "./scripted.ts";

const command: SlashCommand = {
  parts: [
    { kind: "text", text: "Before: " },
    { kind: "shell", command: "ls" },
  ],
  files: [],
  allowedTools: ["Bash(git add:*)", "Read"],
  isProject: false,
  model: null,
};

const used = (changes: Partial<SlashCommand>, allow = true) =>
  run([says("ok")], {
    prompts: ["/look  now"],
    findCommand: async (name, words) =>
      name === "look" && words === "now" ? { ...command, ...changes } : null,
    answer: allow ? { allow, scope: "once" } : { allow },
  });

test("a command is sent expanded, after what was typed", async () => {
  const { log, toolbox } = await used({});
  expect(of(log.entries, "user")[0]?.content).toEqual([
    { type: "text", text: "/look  now\n\nBefore: ran Bash" },
  ]);
  expect(of(log.entries, "user")[0]?.typed).toBe("/look  now");
  expect(toolbox.turns).toEqual([["Bash(git add:*)", "Read"], []]);
});

test("a command that is not allowed to run is left out with the reason", async () => {
  const { sent, toolbox } = await used({}, false);
  expect(toolbox.ran).toEqual([]);
  expect(sent).toContain("(not run: The user denied");
});

test("what a project's command would allow is asked about, and reading is never widened", async () => {
  const asked: string[] = [];
  const titles = new Set<string>();
  for (const allow of [true, false]) {
    const { toolbox, events } = await used({ isProject: true, parts: [] }, allow);
    for (const event of events) {
      if (event.type !== "ask") continue;
      asked.push(event.ask.detail);
      titles.add(event.ask.title);
    }
    expect(toolbox.turns).toEqual([allow ? ["Bash(git add:*)"] : [], []]);
  }
  expect(asked).toEqual(["Bash(git add:*)", "Bash(git add:*)"]);
  expect([...titles]).toEqual(["/look wants to use these tools without asking"]);
  const reads = await used({ isProject: true, parts: [], allowedTools: ["Read"] });
  expect(reads.toolbox.turns).toEqual([[], []]);
  expect(reads.events.some(({ type }) => type === "ask")).toBe(false);
});

test("files that a command names are shown after it, unless they cannot be read", async () => {
  const toolbox = new ScriptedToolbox(async ({ input }) => `text of ${String(input["file_path"])}`);
  toolbox.allowed.push("Read");
  const runs = toolbox.run.bind(toolbox);
  toolbox.run = async (call, options) => {
    const outcome = await runs(call, options);
    return call.input["file_path"] === "gone" ? { ...outcome, isError: true } : outcome;
  };
  const { log } = await run([says("ok")], {
    prompts: ["/look now"],
    toolbox,
    findCommand: async () => ({ ...command, parts: [], files: ["a.ts", "gone", "b.ts"] }),
  });
  expect(of(log.entries, "user")[0]?.content).toEqual([
    { type: "text", text: "/look now" },
    { type: "text", text: "Contents of a.ts:" },
    { type: "text", text: "text of a.ts" },
    { type: "text", text: "Contents of b.ts:" },
    { type: "text", text: "text of b.ts" },
  ]);
});

test("Esc while one of its commands needs approval: nothing runs, nothing is sent", async () => {
  const shell = { kind: "shell", command: "ls" } as const;
  const { toolbox, model, notes, events } = await run([], {
    prompts: ["/look now"],
    findCommand: async () => ({ ...command, parts: [shell, shell] }),
    replies: { ask: { type: "stop" } },
  });
  expect(toolbox.ran).toEqual([]);
  expect(model.requests).toEqual([]);
  expect(events.filter(({ type }) => type === "ask")).toHaveLength(1);
  expect(notes.at(-1)).toBe("Your message was not sent (stopped).");
  expect(events.at(-1)).toEqual({ type: "idle", why: "stopped" });
});

test("the model of one of several prompts answers them all, and no later one", async () => {
  const { model, log, events } = await run([says("ok"), says("ok")], {
    prompts: ["/look", "and this"],
    findCommand: async () => ({ ...command, parts: [], model: "other" }),
    next: [prompt("again")],
  });
  expect(model.requests.map((request) => request.model)).toEqual(["other", "scripted"]);
  expect(of(log.entries, "model").map(({ model: name }) => name)).toEqual(["other", "scripted"]);
  const last = events.filter(({ type }) => type === "rules" || type === "idle").slice(-3);
  expect(last).toMatchObject([{ rules: { model: "scripted" } }, { type: "idle" }, {}]);
});
