/** The prompt cache is billed according to prefix, mark, look-back, size and time. */

import { expect, test } from "bun:test";
import { accept, text, tools, user, assistant } from "./ask.ts";
import { FakeApi, say, type FakeApiOptions } from "./index.ts";

const mark = { type: "ephemeral" };
const hour = { type: "ephemeral", ttl: "1h" };
/** About 2,000 tokens, well above the minimum that is cached. */
const long = (name: string): string => `${name} `.repeat(2_000);

const minutes = (n: number): number => n * 60_000;

function open(options: FakeApiOptions = {}) {
  const api = new FakeApi({ responder: () => say("ok"), ...options });
  const bill = async (body: object) => {
    const { usage } = await accept(api, body);
    return {
      input: usage["input_tokens"],
      read: usage["cache_read_input_tokens"],
      written: usage["cache_creation_input_tokens"],
    };
  };
  return { api, bill };
}

test("nothing is cached without a mark, or below the least size", async () => {
  const { bill } = open();
  const plain = { messages: [user(long("a"))] };
  const short = { messages: [user(text("short", mark))] };
  for (const body of [plain, plain, short, short])
    expect(await bill(body)).toMatchObject({ read: 0, written: 0 });
});

test("what was written is read, and only the rest is new", async () => {
  const { bill } = open();
  const first = await bill({ messages: [user(text(long("a"), mark))] });
  expect(first.read).toBe(0);
  expect(first.input).toBe(0);
  const second = await bill({
    messages: [user(long("a")), assistant("ok"), user(text(long("b"), mark))],
  });
  expect(second.read).toBe(first.written);
  expect(Number(second.written)).toBeGreaterThan(1_000);
});

test("a change before the mark invalidates what follows it, not what precedes it", async () => {
  const { bill } = open();
  const body = (system: string, words: string) => ({
    tools,
    system: [text(system, mark)],
    messages: [user(text(words, mark))],
  });
  const first = await bill(body(long("s"), long("a")));
  const other = await bill(body(long("s"), long("b")));
  expect(Number(other.read)).toBeGreaterThan(1_000);
  expect(Number(other.read)).toBeLessThan(Number(first.written));
  expect((await bill(body(long("t"), long("a")))).read).toBe(0);
});

test("it lives for five minutes after each use", async () => {
  const { api, bill } = open();
  const body = { messages: [user(text(long("a"), mark))] };
  const { written } = await bill(body);
  for (const wait of [4, 4, 4]) {
    api.clock.advance(minutes(wait));
    expect(await bill(body)).toMatchObject({ read: written, written: 0 });
  }
  api.clock.advance(minutes(5));
  expect(await bill(body)).toMatchObject({ read: 0, written });
});

test("an hour's mark lives for an hour after its use", async () => {
  const { api, bill } = open();
  const body = { messages: [user(text(long("a"), hour))] };
  await bill(body);
  api.clock.advance(minutes(59));
  expect(Number((await bill(body)).read)).toBeGreaterThan(0);
  api.clock.advance(minutes(60));
  expect((await bill(body)).read).toBe(0);
});

test.each([
  [20, true],
  [21, false],
])("a mark sees what ended %d blocks before it: %p", async (distance, isSeen) => {
  const { bill } = open();
  const { written } = await bill({ messages: [user(text(long("a"), mark))] });
  const between = Array.from({ length: distance - 1 }, (_, n) => text(`block ${n}`));
  const { read } = await bill({ messages: [user(long("a"), ...between, text("last", mark))] });
  expect(read).toBe(isSeen ? Number(written) : 0);
});
