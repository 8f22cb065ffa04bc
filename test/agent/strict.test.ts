/** The loop against the strict fake: no request is refused, and every failure is handled. */

import { afterEach, expect, test } from "bun:test";
import type { Clock } from "../../src/base/clock.ts";
import type { EntryOf } from "../../src/protocol/entry.ts";
import { FakeClock } from "../fake-api/fake-clock.ts";
import {
  overloaded,
  startFakeApi,
  type FakeApi,
  type FakeOptions,
  type Scripted,
} from "../fake-api/server.ts";
import { Refusal, type WireBlock } from "../fake-api/wire.ts";
import { workbench } from "./bench.ts";

let fake: FakeApi | undefined;
afterEach(() => {
  expect(fake?.refusals ?? []).toEqual([]);
  fake?.stop();
});

async function open(
  script: Scripted[],
  {
    clientClock,
    compacts = false,
    ...options
  }: FakeOptions & { clientClock?: Clock; compacts?: boolean } = {},
) {
  fake = startFakeApi(options);
  fake.next(...script);
  return workbench(fake.url, { compacts, ...(clientClock ? { clientClock } : {}) });
}

const say = (text: string): WireBlock => ({ type: "text", text });
const think = (thinking: string): WireBlock => ({ type: "thinking", thinking });
const read = (id: string, path = "notes.txt"): WireBlock => ({
  type: "tool_use",
  id,
  name: "Read",
  input: { path },
});

const answers = (entries: readonly { type: string }[]): EntryOf<"assistant">[] =>
  entries.filter((entry): entry is EntryOf<"assistant"> => entry.type === "assistant");

test("thinking is sent back unchanged, across calls and turns", async () => {
  const bench = await open([
    [think("first I read"), say("Reading."), read("a"), read("b")],
    [think("again"), read("c")],
    [think("done"), say("There.")],
    [think("more"), say("Yes.")],
  ]);
  await bench.ask("look");
  const events = await bench.ask("and now?");
  expect(events.at(-1)).toEqual({ type: "idle", why: "done" });
  expect(fake?.requests).toHaveLength(4);
  await bench.close();
});

test("overloaded before and during an answer: retried, and nothing received is lost", async () => {
  const bench = await open([
    overloaded({ "retry-after": "3" }),
    { blocks: [say("half of an answer")], breaks: { after: 4, how: "overloaded" } },
    { blocks: [say("another half")], breaks: { after: 4, how: "end" } },
    [say("whole")],
  ]);
  const events = await bench.ask("go");
  expect(bench.waits).toEqual([3_000, 2_000, 4_000]);
  expect(events.filter(({ type }) => type === "retry")).toHaveLength(3);
  const logged = answers(bench.log.path);
  expect(logged.map(({ stop }) => stop)).toEqual(["failed", "failed", "end_turn"]);
  expect(JSON.stringify(logged[0]?.content)).toContain("half");
  await bench.close();
});

test("a silent stream is abandoned and retried", async () => {
  const clientClock = new FakeClock();
  const bench = await open(
    [{ blocks: [say("hm")], breaks: { after: 4, how: "silence" } }, [say("there")]],
    { clientClock },
  );
  let isSilent = true;
  const events = await bench.ask("go", ({ type }) => {
    if (type === "delta" && isSilent) clientClock.advance(120_000);
    if (type === "retry") isSilent = false;
  });
  expect(events.filter(({ type }) => type === "retry")).toHaveLength(1);
  expect(events.at(-1)).toEqual({ type: "idle", why: "done" });
  await bench.close();
});

test("Esc during a stream keeps what arrived, and the next request is valid", async () => {
  const bench = await open([
    {
      blocks: [say("I will read"), read("a"), say("and then go on")],
      breaks: { after: 14, how: "silence" },
    },
    [say("fine")],
  ]);
  let words = 0;
  const events = await bench.ask("go", (event, send) => {
    if (event.type === "delta" && event.kind === "input" && words++ === 2) send({ type: "stop" });
  });
  expect(events.at(-1)).toMatchObject({ type: "idle", why: "stopped" });
  const [partial] = answers(bench.log.path);
  expect(partial?.stop).toBe("interrupted");
  expect(JSON.stringify(partial?.content)).toContain("I will read");
  const again = await bench.ask("never mind");
  expect(again.at(-1)).toEqual({ type: "idle", why: "done" });
  await bench.close();
});

test.each([
  [401, "authentication_error", "invalid x-api-key", "ANTHROPIC_API_KEY"],
  [403, "permission_error", "no access to this model", "no access"],
  [404, "not_found_error", "model: claude-none", "claude-none"],
  [413, "request_too_large", "Request exceeds the maximum size", "maximum size"],
])("%d %s ends the turn with a message", async (status, type, message, words) => {
  const refusal = new Refusal(status, type, message);
  const bench = await open([refusal]);
  const last = (await bench.ask("go")).at(-1);
  expect(last).toMatchObject({ type: "idle", why: "failed" });
  expect(last?.type === "idle" && last.message).toContain(words);
  expect(JSON.stringify(bench.log.path)).not.toContain("sk-ant-test");
  await bench.close();
});

test.each([
  ["max_tokens", 2],
  ["pause_turn", 2],
] as const)("%s continues automatically", async (stop, calls) => {
  const bench = await open([{ blocks: [say("part one")], stop }, [say("part two")]]);
  const events = await bench.ask("go");
  expect(events.at(-1)).toEqual({ type: "idle", why: "done" });
  expect(fake?.requests).toHaveLength(calls);
  await bench.close();
});

test("a refusal is reported and the session continues", async () => {
  const bench = await open([{ blocks: [say("no")], stop: "refusal" }, [say("gladly")]]);
  const last = (await bench.ask("go")).at(-1);
  expect(last?.type === "idle" && last.message).toContain("declined");
  expect((await bench.ask("something else")).at(-1)).toEqual({ type: "idle", why: "done" });
  await bench.close();
});

test("the system prompt and the tools never change, and the cache is read from the second call on", async () => {
  const bench = await open([[read("a")], [read("b")], [say("done")]], { cacheMinimumTokens: 64 });
  await bench.ask("go");
  const requests = fake?.requests ?? [];
  expect(new Set(requests.map(({ system, tools }) => JSON.stringify([system, tools]))).size).toBe(
    1,
  );
  const reads = answers(bench.log.path).map(({ usage }) => usage.cacheRead);
  expect(reads[0]).toBe(0);
  expect(reads[1]).toBeGreaterThan(0);
  expect(reads[2]).toBeGreaterThan(reads[1] ?? 0);
  await bench.close();
});

test("every block sent or received is in the log", async () => {
  const bench = await open([[think("hm"), read("a")], [say("done")]]);
  await bench.ask("go");
  const log = await Bun.file(bench.log.file).text();
  for (const { messages } of fake?.requests ?? []) {
    for (const { content } of messages) {
      for (const block of content) {
        const words = block.text ?? block.thinking ?? block.id ?? block.tool_use_id ?? "";
        expect(log).toContain(JSON.stringify(words).slice(1, -1));
      }
    }
  }
  await bench.close();
});

test("a server that refused even the smallest request is asked again with the next message", async () => {
  const refusal = "prompt is too long: 900000 tokens > 1000 maximum";
  const refused = () => new Refusal(400, "invalid_request_error", refusal);
  const bench = await open([refused(), [say("It has a larger window now.")]], { compacts: true });
  const first = await bench.ask("look");
  expect(first.at(-1)).toMatchObject({
    why: "failed",
    message: expect.stringMatching(/^The system prompt and the tools alone need/),
  });
  const events = await bench.ask("and now?");
  expect(events.at(-1)).toEqual({ type: "idle", why: "done" });
  await bench.close();
});
