/** The loop against the strict fake: no request is refused, and every failure is handled. */

import { afterEach, expect, test } from "bun:test";
import type { EntryOf } from "../../src/protocol/entry.ts";
import {
  call,
  startFakeApi,
  think,
  toBlocks,
  type Answer,
  type AnswerBlock,
  type FakeApiOptions,
  type RunningFakeApi,
} from "../fake-api/index.ts";
import { workbench } from "./bench.ts";

let fake: RunningFakeApi | undefined;
afterEach(async () => {
  expect(fake?.refusals ?? []).toEqual([]);
  await fake?.stop();
});

async function open(
  script: (Answer | AnswerBlock[])[],
  { compacts = false, model }: { compacts?: boolean; model?: FakeApiOptions["model"] } = {},
) {
  fake = startFakeApi({ model: { windowTokens: 200_000, ...model } });
  fake.next(...script);
  return workbench(fake.url, { compacts });
}

const say = (text: string) => ({ type: "text" as const, text });
const read = (id: string) => call("Read", { path: "notes.txt" }, id);

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
  expect(fake?.bodies).toHaveLength(4);
  await bench.close();
});

test.each([
  [401, "authentication_error", "invalid x-api-key", "ANTHROPIC_API_KEY"],
  [403, "permission_error", "no access to this model", "no access"],
  [404, "not_found_error", "model: claude-none", "claude-none"],
  [413, "request_too_large", "Request exceeds the maximum size", "maximum size"],
])("%d %s ends the turn with a message", async (status, type, message, words) => {
  const bench = await open([{ status, type, message }]);
  const last = (await bench.ask("go")).at(-1);
  expect(last).toMatchObject({ type: "idle", why: "failed" });
  expect(last?.type === "idle" && last.message).toContain(words);
  expect(JSON.stringify(bench.log.path)).not.toContain("sk-ant-test");
  await bench.close();
});

test("the system prompt and the tools never change, and the cache is read from the second call on", async () => {
  const bench = await open([[read("a")], [read("b")], [say("done")]], {
    model: { cacheMinimumTokens: 64 },
  });
  await bench.ask("go");
  const requests = fake?.bodies ?? [];
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
  const blocks = fake?.bodies.flatMap(({ messages }) => messages.flatMap(toBlocks));
  for (const block of blocks ?? []) {
    const text = block.type === "text" ? block.text : block.type === "tool_use" ? block.id : "";
    expect(log).toContain(JSON.stringify(text).slice(1, -1));
  }
  await bench.close();
});

test("a server that refused even the smallest request is asked again with the next message", async () => {
  const message = "prompt is too long: 900000 tokens > 1000 maximum";
  const bench = await open([{ status: 400, message }, [say("It has a larger window now.")]], {
    compacts: true,
  });
  const first = await bench.ask("look");
  expect(first.at(-1)).toMatchObject({
    why: "failed",
    message: expect.stringMatching(/^The system prompt and the tools alone need/),
  });
  const events = await bench.ask("and now?");
  expect(events.at(-1)).toEqual({ type: "idle", why: "done" });
  await bench.close();
});
