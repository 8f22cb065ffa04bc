import { expect, test } from "bun:test";
import { HookRegistry } from "../../../src/extensions/hooks/registry.ts";
import { base, call as plainCall, run } from "./hooks-with.ts";

type Options = ConstructorParameters<typeof HookRegistry>[0];
type AskModel = NonNullable<Options["askModel"]>;

const call = { ...plainCall, tool_input: { command: "ls $& $1" } };
const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 2 };

const asks = (event: "PreToolUse" | "Stop", prompt: string, more: object = {}) => ({
  event,
  prompt,
  matcher: undefined,
  model: undefined,
  timeoutMs: 30_000,
  source: "f",
  folder: "/p",
  isProject: false,
  ...more,
});

/** The outcome of a hook when the model answers this, and the requests to the model. */
async function judged(said: string, hook: object = {}, input = call) {
  const asked: Parameters<AskModel>[0][] = [];
  const registry = new HookRegistry({
    base: () => base,
    load: async () => [asks("PreToolUse", "Is this safe? $ARGUMENTS", hook)],
    env: {},
    async askModel(question) {
      asked.push(question);
      return { text: said, spent: { model: "small", usage, usd: 0.001 } };
    },
  });
  const result = await registry.run("PreToolUse", input, run);
  return { ...result, asked, listed: await registry.list() };
}

test("a model that says no blocks with its reason, and its price is kept", async () => {
  const {
    block,
    judged: said,
    asked,
    listed,
  } = await judged('No: {"ok": false, "reason": " rm "}');
  expect(block).toBe("rm");
  expect(said).toEqual([
    {
      text: "A PreToolUse hook asked small: rm",
      spent: { model: "small", usage, usd: 0.001 },
    },
  ]);
  expect(asked[0]?.text).toStartWith('Is this safe? {"session_id":"s"');
  expect(asked[0]?.text).toContain('"command":"ls $& $1"');
  expect(listed).toMatchObject([{ name: "Is this safe? $ARGUMENTS", last: "blocked: rm" }]);
  expect((await judged('So:{"ok": false}.')).block).toBe("no reason given");
});

test("of a long event the model is shown the start, and the user that of a long reason", async () => {
  const long = { ...call, tool_input: { command: "x".repeat(60_000) } };
  const { asked } = await judged('{"ok": true}', { prompt: "$ARGUMENTS" }, long);
  expect(asked[0]?.text).toHaveLength(50_000);
  const { block } = await judged(JSON.stringify({ ok: false, reason: "x".repeat(5_000) }));
  expect(block).toBe(`${"x".repeat(3_999)}…`);
});

test("a model that says yes, or nothing that can be read, blocks nothing", async () => {
  const yes = await judged('{"ok": true}', { prompt: "Fine?", model: "sonnet" });
  expect([yes.block, yes.judged[0]?.text]).toEqual([null, "A PreToolUse hook asked small: yes"]);
  expect(yes.asked[0]).toMatchObject({ model: "sonnet" });
  expect(yes.asked[0]?.text).toStartWith('Fine?\n\n{"session_id"');
  for (const text of ["", "yes", '{"ok": "maybe"}', "{", "[]"]) {
    const { block, judged: said } = await judged(text);
    expect([block, said[0]?.text]).toEqual([
      null,
      "A PreToolUse hook asked small: its answer could not be read",
    ]);
  }
});

test("a model that fails or takes too long only warns", async () => {
  const asking = (askModel: AskModel, timeoutMs: number) =>
    new HookRegistry({
      base: () => base,
      load: async () => [asks("Stop", "Done?", { timeoutMs })],
      env: {},
      askModel,
    }).run("Stop", { stop_hook_active: false, last_assistant_message: "" }, run);
  const failed = await asking(() => Promise.reject(new Error("no key")), 30_000);
  expect(failed.messages).toEqual(["The Stop hook “Done?” failed: no key"]);
  const slow = await asking(
    (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("aborted"))),
      ),
    10,
  );
  expect(slow.messages).toEqual(["The Stop hook “Done?” failed: it took more than 0.01 s"]);
});
