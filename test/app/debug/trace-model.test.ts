import { expect, test } from "bun:test";
import { traceModel } from "../../../src/app/debug/trace-model.ts";
import type { ModelClient } from "../../../src/model/client.ts";
import type { ModelRequest } from "../../../src/protocol/model.ts";
import { rules, ScriptedModel, text } from "../../agent/scripted.ts";
import { logFile } from "./log-file.ts";

const request: ModelRequest = {
  model: "m",
  system: [],
  tools: [],
  messages: [
    { role: "user", content: [{ type: "text", text: "x".repeat(1_000) }] },
    { role: "assistant", content: [{ type: "text", text: "y" }] },
    {
      role: "user",
      content: [{ type: "text", text: "z", cache_control: { type: "ephemeral" } }],
    },
  ],
  maxTokens: 1_000,
  thinking: "off",
  dropStaleThinking: false,
  purpose: "turn",
};
const never = new AbortController().signal;

test("a call is described by its size, its times and its usage; its events pass unchanged", async () => {
  const { log, lines, times } = logFile();
  const script = { blocks: [text("hello")] };
  const events = await Array.fromAsync(
    traceModel(new ScriptedModel(script), log).stream(request, never),
  );
  expect(events).toEqual(await Array.fromAsync(new ScriptedModel(script).stream(request, never)));
  const [total = 0, first = 0] = times();
  expect(total).toBeGreaterThanOrEqual(first);
  expect(total).toBeLessThan(5_000);
  expect(lines()).toEqual([
    "call turn to m, 3 messages of 1,207 characters, 0 tools, at most 1,000 tokens, thinking off, cache marks in messages 2",
    "answer end_turn in N ms, first event after N ms: 100 new, 0 read from and 0 written to the cache, 10 out",
  ]);
});

test("special properties of a request are logged", async () => {
  const { log, lines } = logFile();
  const special: ModelRequest = {
    ...request,
    messages: request.messages.slice(0, 1),
    thinking: "adaptive",
    dropStaleThinking: true,
    purpose: "summary",
  };
  await Array.fromAsync(traceModel(new ScriptedModel({}), log).stream(special, never));
  expect(lines()[0]).toBe(
    "call summary to m, 1 message of 1,055 characters, 0 tools, at most 1,000 tokens, thinking adaptive, stale thinking dropped",
  );
});

test("a failure is written with its kind, and thrown", async () => {
  const { log, lines } = logFile();
  const model = traceModel(new ScriptedModel({ error: new TypeError("cut off") }), log);
  await expect(Array.fromAsync(model.stream(request, never))).rejects.toThrow("cut off");
  expect(lines()[1]).toBe("answer failed after N ms: TypeError: cut off");
});

test("the rules of a model are written; everything else is passed through", async () => {
  const { log, lines } = logFile();
  const inner: ModelClient = Object.assign(new ScriptedModel(), { countTokens: async () => 7 });
  const model = traceModel(inner, log);
  expect(await model.rules("m")).toEqual(await inner.rules("m"));
  expect(lines()).toEqual(["model m: window 100,000, output 8,000, thinking none, caches"]);
  const other = logFile();
  const uncached = Object.assign(new ScriptedModel(), {
    rules: async (name: string) => ({ ...rules, model: name, caches: false }),
  });
  await traceModel(uncached, other.log).rules("m");
  expect(other.lines()[0]).toEndWith("thinking none, no cache");
  expect(model.label).toBe("scripted");
  expect(await model.models()).toEqual(["scripted"]);
  expect(await model.countTokens?.(request, never)).toBe(7);
  expect(traceModel(new ScriptedModel(), log).countTokens).toBeUndefined();
});

test("the cache is kept alive and tokens are counted as without the log", async () => {
  const { log, lines } = logFile();
  const usage = { input: 1, cacheRead: 1_000, cacheWrite: 0, output: 0 };
  const able = Object.assign(new ScriptedModel({}), {
    refreshCache: async () => usage,
    countTokens: async () => 42,
  });
  const traced = traceModel(able, log);
  expect(await traced.countTokens?.(request, never)).toBe(42);
  expect(await traced.refreshCache?.(request, never)).toEqual(usage);
  expect(lines()).toEqual([
    "cache kept alive: 1 new, 1,000 read from and 0 written to the cache, 0 out",
  ]);
  const unable = traceModel(new ScriptedModel({}), log);
  expect([unable.countTokens, unable.refreshCache]).toEqual([undefined, undefined]);
});
