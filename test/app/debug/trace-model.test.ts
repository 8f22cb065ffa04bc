import { expect, test } from "bun:test";
import type { ModelClient } from "../../../src/model/client.ts";
import type { ModelRequest } from "../../../src/protocol/model.ts";
import { ScriptedModel, text } from "../../agent/scripted.ts";
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

/** As the clients of servers are: without a class. */
const plain = (model: ScriptedModel): ModelClient => ({
  label: model.label,
  rules: (name) => model.rules(name),
  models: () => model.models(),
  stream: (asked, signal) => model.stream(asked, signal),
});

test("a call is described by its size, its times and its usage; its events pass unchanged", async () => {
  const { log, lines, times } = logFile();
  const script = { blocks: [text("hello")] };
  const events = await Array.fromAsync(
    log.model(plain(new ScriptedModel(script))).stream(request, never),
  );
  expect(events).toEqual(await Array.fromAsync(new ScriptedModel(script).stream(request, never)));
  const [total = 0, first = 0] = times();
  expect(total).toBeGreaterThanOrEqual(first);
  expect(total).toBeLessThan(5_000);
  expect(lines()).toEqual([
    "call turn to m, 3 messages, 0 tools, at most 1,000 tokens, thinking off, cache marks in messages 2",
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
  await Array.fromAsync(log.model(plain(new ScriptedModel({}))).stream(special, never));
  expect(lines()[0]).toBe(
    "call summary to m, 1 message, 0 tools, at most 1,000 tokens, thinking adaptive, stale thinking dropped, cache marks in messages none",
  );
});

test("a failure is written with its kind, and thrown", async () => {
  const { log, lines } = logFile();
  const model = log.model(plain(new ScriptedModel({ error: new TypeError("cut off") })));
  await expect(Array.fromAsync(model.stream(request, never))).rejects.toThrow("cut off");
  expect(lines()[1]).toBe("answer failed after N ms: TypeError: cut off");
});

test("the rules of a model are written; everything else is passed through", async () => {
  const { log, lines } = logFile();
  const inner = plain(new ScriptedModel());
  const model = log.model({ ...inner, countTokens: async () => 7 });
  expect(await model.rules("m")).toEqual(await inner.rules("m"));
  expect(lines()[0]).toStartWith('model m: {"model":"m","windowTokens":100000,');
  expect([model.label, await model.models()]).toEqual(["scripted", ["scripted"]]);
  expect(await model.countTokens?.(request, never)).toBe(7);
  expect(log.model(inner).countTokens).toBeUndefined();
});
