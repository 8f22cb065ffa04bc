import { expect, test } from "bun:test";
import { PartialAnswer, streamAnswer } from "../../src/agent/call.ts";
import { ModelError } from "../../src/model/failures.ts";
import type { ModelRequest } from "../../src/protocol/model.ts";
import { ScriptedModel, text, type Scripted } from "./scripted.ts";

const request: ModelRequest = {
  model: "m",
  system: [],
  tools: [],
  messages: [],
  maxTokens: 1,
  thinking: "off",
  dropStaleThinking: false,
  purpose: "turn",
};

async function call(script: Scripted, build = () => request) {
  const answer = new PartialAnswer();
  const deltas: string[] = [];
  const signal = new AbortController().signal;
  const model = new ScriptedModel(script);
  const end = await streamAnswer(model, build, answer, signal, ({ text }) => deltas.push(text));
  return { end, deltas, content: answer.content };
}

test("a call shows its deltas and ends with its stop", async () => {
  const { end, deltas, content } = await call({ blocks: [text("Hello")], detail: "d" });
  expect(deltas).toEqual(["Hello"]);
  expect(content).toEqual([text("Hello")]);
  expect(end).toMatchObject({ stop: { type: "stop", stop: "end_turn", detail: "d" } });
});

test("a stream that ends without a stop can be retried", async () => {
  const { end, content } = await call({ torn: "Hel", ends: true });
  expect(content).toEqual([text("Hel")]);
  expect(end).toMatchObject({ error: { kind: "busy" } });
});

test("errors are returned: the model's as they are, others as invalid", async () => {
  const busy = new ModelError("busy", "overloaded", { retryAfterMs: 7 });
  expect((await call({ torn: "Hel", error: busy })).end).toEqual({ error: busy });
  expect((await call({ error: new TypeError("broken") })).end).toEqual({
    error: { kind: "invalid", message: "broken" },
  });
  const unbuildable = (): ModelRequest => {
    throw new Error("no valid request");
  };
  expect((await call({}, unbuildable)).end).toEqual({
    error: { kind: "invalid", message: "no valid request" },
  });
});
