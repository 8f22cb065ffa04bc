import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HookRegistry, type HookHandler } from "../../../src/extensions/hooks/registry.ts";
import type { ToolInput } from "../../../src/protocol/block.ts";
import type { ContextFact } from "../../../src/protocol/entry.ts";
import { base, call, commandHook, run } from "./hooks-with.ts";

type HookOutput = Awaited<Extract<ReturnType<HookHandler<"PreToolUse">>, Promise<unknown>>>;

type Options = ConstructorParameters<typeof HookRegistry>[0];

const env = { PATH: "/usr/bin:/bin", MARK: "mark", SAME: "same" };
const registry = (
  hooks: ReturnType<typeof commandHook>[] = [],
  more: Partial<Options> = {},
): HookRegistry => new HookRegistry({ base: () => base, load: async () => hooks, env, ...more });
const by = { source: "s", name: "n" };

/** What a shell command answers to a PreToolUse event. */
const answer = (command: string) =>
  registry([commandHook("PreToolUse", command)]).run("PreToolUse", call, run);

test("a command is given the event as JSON and the project's folder", async () => {
  const result = await registry([
    commandHook("UserPromptSubmit", 'cat; echo "$CLAUDE_PROJECT_DIR $MARK"'),
  ]).run("UserPromptSubmit", { prompt: "hi" }, run);
  const [json = "", folder] = (result.context[0] ?? "").split(/(?<=\})/);
  expect(JSON.parse(json)).toEqual({ ...base, hook_event_name: "UserPromptSubmit", prompt: "hi" });
  expect(folder).toBe("/p mark");
});

test("exit code 2 blocks with standard error; another failure only warns", async () => {
  expect((await answer("echo why >&2; exit 2")).block).toBe("why");
  const { block: long } = await answer("yes no | head -3000 >&2; exit 2");
  expect(long).toMatch(/^[^…]{3999}…$/);
  const failed = await answer("echo oops >&2; exit 1");
  expect(failed.block).toBeNull();
  expect(failed.messages).toEqual([
    "The PreToolUse hook “echo oops >&2; exit 1” failed: exit code 1: oops",
  ]);
});

test("a hook of the project whose sandbox did not start is started again, once", async () => {
  const starts: number[] = [];
  const hooks = registry([commandHook("PreToolUse", "echo no >&2; exit 2", { isProject: true })], {
    launch: async (words, { cwd, env = {} }) => {
      const fails = 'echo "bwrap: Can\'t find source path" >&2; exit 1';
      return { command: starts.push(1) === 1 ? ["/bin/sh", "-c", fails] : [...words], cwd, env };
    },
  });
  expect(await hooks.run("PreToolUse", call, run)).toMatchObject({ block: "no", messages: [] });
  expect(starts).toHaveLength(2);
});

test("hooks get the reason for the session's end, and their failures are not errors", async () => {
  const hooks = registry();
  const seen: unknown[] = [];
  hooks.register("SessionEnd", "", async (input) => (seen.push(input), {}), by);
  const failing = () => Promise.reject(new Error("no"));
  hooks.register("SessionEnd", "", failing, by);
  await hooks.end("clear");
  expect(seen).toEqual([{ ...base, hook_event_name: "SessionEnd", reason: "clear" }]);
});

test("variables that a session's start sets or changes are for the commands of the session", async () => {
  const lines = String.raw`export A='a "b"
c'; PLAIN=1; export MARK=new SAME=same; cd /`;
  const command = `stat -c %a "$CLAUDE_ENV_FILE" >&2; cat > "$CLAUDE_ENV_FILE" <<'END'\n${lines}\nEND\necho hello`;
  const added: unknown[] = [];
  const hooks = registry(
    [commandHook("SessionStart", command), commandHook("UserPromptSubmit", command)],
    { addVariables: (variables) => void added.push(variables) },
  );
  const { context } = await hooks.run("SessionStart", { source: "startup" }, run);
  expect(context).toEqual(["hello"]);
  expect(added).toEqual([{ A: 'a "b"\nc', PLAIN: "1", MARK: "new" }]);
  await hooks.run("UserPromptSubmit", { prompt: "hi" }, run);
  expect(added).toHaveLength(1);
});

test("an async hook is not awaited, and its answer is ignored", async () => {
  const mark = join(await mkdtemp(join(tmpdir(), "async-hook-")), "mark");
  const command = `while [ ! -e ${mark} ]; do sleep 0.01; done; touch ${mark}.seen; exit 2`;
  const hooks = registry([commandHook("Stop", command, { isAsync: true })]);
  const ending = { stop_hook_active: false, last_assistant_message: "" };
  expect((await hooks.run("Stop", ending, run)).block).toBeNull();
  await Bun.write(mark, "");
  while (!(await Bun.file(`${mark}.seen`).exists())) await Bun.sleep(1);
  await rm(join(mark, ".."), { recursive: true });
});

test("JSON decides about permission, input, context and the turn", async () => {
  const said = JSON.stringify({
    continue: false,
    stopReason: "enough",
    systemMessage: "hello",
    hookSpecificOutput: {
      permissionDecision: "allow",
      permissionDecisionReason: "safe",
      updatedInput: { command: "pwd" },
      additionalContext: "It is Monday.",
    },
  });
  expect(await answer(`echo '${said}'`)).toEqual({
    block: null,
    permission: { decision: "allow", reason: "safe", isLimited: false },
    updatedInput: { command: "pwd" },
    context: ["It is Monday."],
    facts: [],
    stop: "enough",
    messages: ["hello"],
    judged: [],
  });
  expect((await answer(`echo '{"decision":"block","reason":"no"}'`)).block).toBe("no");
  const approved = await answer(`echo '{"decision":"approve","reason":"fine"}'`);
  expect(approved.permission).toMatchObject({ decision: "allow", reason: "fine" });
});

test("hostile output decides nothing", async () => {
  const texts = ["{", "[]", "null", '{"decision":7}', '{"hookSpecificOutput":"allow"}', "yes"];
  for (const text of texts) {
    const result = await answer(`echo '${text}'`);
    expect(result).toMatchObject({ block: null, permission: null, stop: null, context: [] });
  }
});

test("the output of several hooks is combined; the first block and the first stop count", async () => {
  const hooks = registry();
  const fact: ContextFact = { type: "context", kind: "reminder", title: "t", content: [] };
  const outputs: HookOutput[] = [
    { context: "a", facts: [fact], updatedInput: { command: "a" } },
    { context: "b", block: "first", stop: "first", message: "m" },
    { block: "second", stop: "second", updatedInput: { command: "b" } },
  ];
  for (const output of outputs) hooks.register("PreToolUse", "", async () => output, by);
  expect(await hooks.run("PreToolUse", call, run)).toEqual({
    block: "first",
    permission: null,
    updatedInput: { command: "b" },
    context: ["a", "b"],
    facts: [fact],
    stop: "first",
    messages: ["m"],
    judged: [],
  });
});

test("each hook sees the input that those before it chose, and the user's come after the project's", async () => {
  const hooks = registry();
  const seen: [string, unknown][] = [];
  const add = (name: string, isProject: boolean, chosen?: string) =>
    hooks.register(
      "PreToolUse",
      "",
      async ({ tool_input }) => {
        seen.push([name, tool_input]);
        return chosen === undefined ? {} : { updatedInput: { cmd: chosen } };
      },
      { ...by, name, isProject },
    );
  const builtIn = { source: "built-in", name: "ours" };
  hooks.register("PreToolUse", "", async () => (seen.push(["ours", null]), {}), builtIn);
  add("guard", false);
  add("project", true, "evil");
  add("late", true);
  add("own", false, "mine");
  add("last", false);
  const normalize = ({ cmd }: ToolInput) => ({ command: cmd });
  const { updatedInput } = await hooks.run("PreToolUse", call, { ...run, normalize });
  expect(seen).toEqual([
    ["project", call.tool_input],
    ["late", { command: "evil" }],
    ["guard", { command: "evil" }],
    ["own", { command: "evil" }],
    ["last", { command: "mine" }],
    ["ours", null],
  ]);
  expect(updatedInput).toEqual({ command: "mine" });
  expect((await hooks.list()).map(({ name }) => name)).toEqual([
    "project",
    "late",
    "guard",
    "own",
    "last",
    "ours",
  ]);
});

test("the strictest permission wins, and an allowance of the project is marked", async () => {
  const hooks = registry();
  const add = (decision: "allow" | "ask" | "deny", isProject: boolean) =>
    hooks.register(
      "PreToolUse",
      "",
      async (): Promise<HookOutput> => ({ permission: { decision, reason: decision } }),
      { ...by, isProject },
    );
  const permission = async () => (await hooks.run("PreToolUse", call, run)).permission;
  add("allow", true);
  expect(await permission()).toMatchObject({ decision: "allow", isLimited: true });
  add("allow", false);
  expect(await permission()).toMatchObject({ decision: "allow", isLimited: false });
  const remove = add("ask", true);
  add("deny", true);
  expect(await permission()).toMatchObject({ decision: "deny", reason: "deny" });
  remove();
  expect(await permission()).toMatchObject({ decision: "deny" });
});

test("plain matchers are names, others are regular expressions", async () => {
  const ran: string[] = [];
  const hooks = registry();
  const matchers = [undefined, "", "*", "Bash", "Edit|Bash", "Bas", "^Ba", "mcp__.*", "B.*h"];
  for (const matcher of matchers)
    hooks.register("PreToolUse", matcher, async () => (ran.push(matcher ?? "none"), {}), by);
  await hooks.run("PreToolUse", call, run);
  expect(ran).toEqual(["none", "", "*", "Bash", "Edit|Bash", "^Ba", "B.*h"]);
  expect(() => hooks.register("Stop", "(", async () => ({}), by)).toThrow("“(”");
});

test("the list says in words what a hook did last", async () => {
  const outputs: [HookOutput, string][] = [
    [{}, "ran"],
    [{ context: "c" }, "added context"],
    [{ updatedInput: {} }, "changed the input"],
    [{ permission: { decision: "ask", reason: "" } }, "ask"],
    [{ permission: { decision: "deny", reason: "no" } }, "deny: no"],
    [{ block: "b" }, "blocked: b"],
    [{ block: "b", stop: "s" }, "stopped the turn: s"],
  ];
  for (const [output, words] of outputs) {
    const hooks = registry();
    hooks.register("PreToolUse", "", async () => output, by);
    await hooks.run("PreToolUse", call, run);
    expect((await hooks.list())[0]?.last).toBe(words);
  }
  const hooks = registry();
  const fails = () => Promise.reject(new Error("no"));
  hooks.register("PreToolUse", "", fails, by);
  await hooks.run("PreToolUse", call, run);
  expect((await hooks.list())[0]?.last).toBe("failed: no");
});

test("the list has every hook with its last outcome, and settings are read once", async () => {
  let reads = 0;
  const load = async () => (reads++, [commandHook("Stop", "exit 2")]);
  const all = registry([], { load });
  all.register("TurnStart", "auto", async () => ({}), { source: "built-in", name: "compact" });
  expect([reads, all.has("Stop"), all.has("TurnStart")]).toEqual([0, false, true]);
  expect((await all.list()).map(({ name, matcher, last }) => [name, matcher, last])).toEqual([
    ["compact", "auto", null],
    ["exit 2", "", null],
  ]);
  expect(all.has("Stop")).toBe(true);
  await all.run("Stop", { stop_hook_active: false, last_assistant_message: "" }, run);
  expect((await all.list())[1]).toEqual({
    event: "Stop",
    matcher: "",
    source: "f",
    name: "exit 2",
    last: "blocked: no reason given",
  });
  expect(reads).toBe(1);
});

test("the agent's own hooks are waited for: they end by themselves when they are stopped", async () => {
  const stop = new AbortController();
  const hooks = registry();
  let isDone = false;
  const own = async () => {
    stop.abort();
    for (let tick = 0; tick < 100; tick++) await Promise.resolve();
    isDone = true;
    return {};
  };
  hooks.register("TurnStart", "", own, { source: "built-in", name: "compact" });
  const turn = { used_tokens: 0, effective_tokens: 1 };
  await hooks.run("TurnStart", turn, { ...run, signal: stop.signal });
  expect(isDone).toBe(true);
});

test.each(["at once", "later"])(
  "a hook that ignores its signal is not waited for: %s",
  async (when) => {
    const stop = new AbortController();
    const hooks = registry();
    const slow = () => {
      if (when === "later") setTimeout(() => stop.abort());
      else stop.abort();
      return new Promise<never>(() => {});
    };
    hooks.register("Stop", "", slow, { source: "s", name: "slow" });
    const next = async () => ({ block: "ran" });
    hooks.register("Stop", "", next, { source: "s", name: "next" });
    const ending = { stop_hook_active: false, last_assistant_message: "" };
    const result = await hooks.run("Stop", ending, { ...run, signal: stop.signal });
    expect(result).toMatchObject({ block: null, messages: [] });
    expect((await hooks.list()).map(({ last }) => last)).toEqual(["stopped by the user", null]);
  },
);

test("a script of variables that fails is reported", async () => {
  const command = 'echo "exit 3" > "$CLAUDE_ENV_FILE"';
  const hooks = registry([commandHook("SessionStart", command)], { addVariables: () => undefined });
  const { messages } = await hooks.run("SessionStart", { source: "startup" }, run);
  expect(messages[0]).toContain("CLAUDE_ENV_FILE failed");
});

test("a program left in the background does not hold up the hook", async () => {
  const { block } = await answer("sleep 600 & echo $! >&2; exit 2");
  process.kill(Number(block));
});

/** Waits until the process that a file names has ended, or is a zombie that nobody has reaped yet. */
async function ended(file: string): Promise<void> {
  const stray = `/proc/${(await readFile(file, "utf8")).trim()}/stat`;
  const state = (): Promise<string> => readFile(stray, "utf8").catch(() => ") Z");
  while (!(await state()).includes(") Z")) await Bun.sleep(1);
}

test("a command that takes too long, or that the user stops, ends with all that it started", async () => {
  const folder = await mkdtemp(join(tmpdir(), "slow-hook-"));
  const pid = join(folder, "pid");
  const command = `sleep 600 & echo $! > ${folder}/new; mv ${folder}/new ${folder}/pid; wait`;
  // On a busy machine it may not have started when the time is over.
  for (let timeoutMs = 50; !existsSync(pid); timeoutMs *= 4) {
    const hooks = registry([commandHook("PreToolUse", command, { timeoutMs })]);
    const { messages } = await hooks.run("PreToolUse", call, run);
    expect(messages[0]).toContain(`it was stopped after ${timeoutMs / 1_000} s`);
  }
  await ended(pid);
  await rm(pid);
  const stop = new AbortController();
  const running = registry([commandHook("PreToolUse", command)]).run("PreToolUse", call, {
    signal: stop.signal,
  });
  while (!existsSync(pid)) await Bun.sleep(1);
  stop.abort();
  expect((await running).messages).toEqual([]);
  await ended(pid);
  await rm(folder, { recursive: true });
});

test("the start of a long output is read, without half a character", async () => {
  const command = "printf x; for i in {1..30000}; do printf 🙂; done";
  const hooks = registry([commandHook("UserPromptSubmit", command)]);
  const { context } = await hooks.run("UserPromptSubmit", { prompt: "" }, run);
  expect(context).toEqual([`x${"🙂".repeat(24_999)}`]);
});
