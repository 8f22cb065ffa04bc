/** The prompt cache is billed according to prefix, mark, look-back, size and time. */

import { expect, test } from "bun:test";
import { accept, text, tools, user } from "./ask.ts";
import { FakeApi, say } from "./index.ts";

const mark = { type: "ephemeral" };
const hour = { type: "ephemeral", ttl: "1h" };
/** About 2,000 tokens, well above the minimum that is cached. */
const long = (name: string): string => `${name} `.repeat(2_000);

const minutes = (n: number): number => n * 60_000;

function open() {
  const api = new FakeApi({ responder: () => say("ok") });
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

test.each([
  [mark, 5],
  [hour, 60],
])("after each use it lives as long as the mark %j says", async (marked, lifetime) => {
  const { api, bill } = open();
  const body = { messages: [user(text(long("a"), marked))] };
  const { written } = await bill(body);
  for (let use = 0; use < 3; use++) {
    api.clock.advance(minutes(lifetime - 1));
    expect(await bill(body)).toMatchObject({ read: written, written: 0 });
  }
  api.clock.advance(minutes(lifetime));
  expect(await bill(body)).toMatchObject({ read: 0, written });
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
