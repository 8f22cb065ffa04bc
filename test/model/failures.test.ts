/** How a call can fail: each failure has a kind and a message, and keeps what had arrived. */

import { afterEach, expect, test } from "bun:test";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import { call, FakeClock, say, startFakeApi, type Failed } from "../fake-api/index.ts";
import { buildRequest, run, shown, streamed, toStream } from "./calls.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Access = Parameters<typeof createAnthropicClient>[0];

/** A client that times out after 30 seconds, and the server that it calls unless there is another `fetch`. */
function open(more: Partial<Access> = {}) {
  const fake = startFakeApi();
  stops.push(() => fake.stop());
  const { url: baseUrl, clock } = fake;
  const access = { apiKey: "sk-secret", baseUrl, clock, stallMs: 30_000, ...more };
  return { fake, clock, client: createAnthropicClient(access) };
}

const cases: [Failed, string, string][] = [
  [{ status: 400, message: "tools: nonsense" }, "invalid", "nonsense"],
  [{ status: 401, message: "invalid x-api-key" }, "auth", "ANTHROPIC_API_KEY"],
  [{ status: 402, message: "no credit" }, "auth", "billing"],
  [{ status: 403, message: "not yours" }, "auth", "not authorized"],
  [{ status: 404, message: "model: x" }, "invalid", "--model"],
  [{ status: 408 }, "busy", "408"],
  [{ status: 409 }, "busy", "409"],
  [{ status: 413, message: "Request exceeds the maximum size" }, "too-long", "Compact"],
  [{ status: 429, message: "rate limit" }, "busy", "rate of requests"],
  [{ status: 500 }, "busy", "500"],
  [{ status: 529, message: "Overloaded" }, "busy", "Overloaded"],
  [{ status: 429, headers: { "x-should-retry": "false" } }, "invalid", "429"],
  [{ status: 413, message: "Entity too large" }, "too-long", "no request of this size"],
  [{ status: 429, message: "You exceeded your current quota" }, "auth", "balance, or choose"],
  [
    { status: 429, message: "later", headers: { "retry-after": "4000" } },
    "auth",
    "wait about 1 hour,",
  ],
  [{ status: 429, headers: { "retry-after": "86400" } }, "auth", "wait about 24 hours"],
  [{ status: 429, message: "later", headers: { "retry-after": "1800" } }, "busy", "429"],
  [{ status: 400, message: "You exceeded your current quota" }, "invalid", "400"],
  [{ status: 429, message: "Quota exceeded; retry in 38.2s" }, "busy", "rate of requests"],
];

test.each(cases)("%j is reported as %s", async (answer, kind, words) => {
  const { fake, client } = open();
  fake.next(answer);
  const { error, events } = await run(client, buildRequest());
  expect(error?.kind).toBe(kind as never);
  expect(error?.status).toBe(answer.status);
  expect(error?.message).toContain(words);
  expect(events).toEqual([]);
  expect(fake.requests).toHaveLength(1);
});

const day = "Fri, 20 Nov 1970";

test.each([
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
  // The server's clock is used, because ours may be wrong.
  [{ date: `${day} 12:00:00 GMT`, "retry-after": `${day} 12:00:30 GMT` }, 30_000],
  [{ "retry-after": "soon" }, undefined],
  [{}, undefined],
])("%j asks for a wait of %p ms", async (headers, waitMs) => {
  const { fake, client } = open();
  fake.next({ status: 429, headers: { ...headers } });
  const { error } = await run(client, buildRequest());
  expect(error?.retryAfterMs).toBe(waitMs);
});

test("no error shows the key, and one of a letter does not change how an error is classified", async () => {
  const { fake, client } = open();
  fake.next({ status: 401, message: "wrong key sk-secret\u001b[31m" });
  const { error } = await run(client, buildRequest());
  expect(error?.message).not.toContain("sk-secret");
  expect(error?.message).not.toContain("\u001b");
  expect(error?.message).toContain("[key]");
  const short = open({ apiKey: "x" });
  short.fake.next({ status: 400, message: "the request exceeds the available context size" });
  const { error: large } = await run(short.client, buildRequest());
  expect(large?.kind).toBe("too-long");
  expect(large?.message).not.toContain("exceeds");
});

const halfway = [{ type: "text" as const, text: "A first word." }, call("read", { path: "x" })];

test.each([
  ["an overloaded server", { error: "overloaded_error" }, "busy", "Overloaded"],
  ["a server's own fault", { error: "api_error" }, "busy", "api_error"],
  ["the end of the body", "eof", "busy", "connection lost"],
  ["a lost connection", "reset", "busy", "connection lost"],
  ["nonsense", "garbage", "busy", "was interrupted"],
] as const)("%s in mid-answer keeps what had arrived", async (_, by, kind, words) => {
  const { fake } = open();
  // Without sockets, which may lose the last bytes before a break.
  const client = createAnthropicClient({ apiKey: "k", baseUrl: "http://fake", fetch: fake.fetch });
  fake.next({ content: halfway, cut: { afterBlocks: 1, by } });
  const { error, blocks, events } = await run(client, buildRequest());
  expect(error?.kind).toBe(kind);
  expect(error?.message).toContain(words);
  expect(blocks).toEqual([{ type: "text", text: "A first word." }]);
  expect(shown(events, "text")).toBe("A first word.");
  expect(events.some(({ type }) => type === "stop")).toBe(false);
});

test("a silent stream is ended after the time that was set, not before", async () => {
  const { fake, client } = open();
  fake.next(say("Once upon a time", { cut: { afterBlocks: 0, by: "stall" } }));
  const silent = fake.stalled();
  let text = "";
  const outcome = run(client, buildRequest(), {
    on: (event) => {
      if (event.type !== "delta") return;
      text += event.text;
      if (text !== "Once up") return;
      // The text has arrived; the event that the watchdog waits for never comes.
      void silent.then(() => fake.clock.advance(29_999));
      void silent.then(() => fake.clock.advance(1));
    },
  });
  const { error, events } = await outcome;
  expect(error?.kind).toBe("stall");
  expect(error?.message).toContain("30 s");
  expect(shown(events, "text")).toBe("Once up");
});

/** A stream in which each piece takes 20 of the 30 seconds that silence may last. */
function slow(clock: FakeClock, pieces: { type: string; [key: string]: unknown }[]) {
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[at];
        if (piece === undefined) return controller.close();
        if (at > 0) clock.advance(20_000);
        at += 1;
        controller.enqueue(new TextEncoder().encode(toStream([piece])));
      },
    },
    { highWaterMark: 0 },
  );
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const ended = new TransformStream<Uint8Array, Uint8Array>();
    const signal = init?.signal ?? AbortSignal.any([]);
    void body.pipeTo(ended.writable, { signal }).catch(() => undefined);
    return streamed(ended.readable);
  };
  return open({ clock, fetch }).client;
}

const start = { type: "message_start", message: { usage: { input_tokens: 1 } } };

test("a slow answer does not count as silent, however long it takes", async () => {
  const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } };
  const client = slow(new FakeClock(), [
    start,
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...Array.from({ length: 40 }, () => delta),
    { type: "content_block_stop", index: 0 },
    { type: "message_stop" },
  ]);
  const { error, blocks } = await run(client, buildRequest());
  expect(error).toBeNull();
  expect(blocks).toEqual([{ type: "text", text: "a".repeat(40) }]);
});

test("pings alone keep a call alive for a while, not forever", async () => {
  const client = slow(new FakeClock(), [
    start,
    ...Array.from({ length: 100 }, () => ({ type: "ping" })),
  ]);
  const { error } = await run(client, buildRequest());
  expect(error?.kind).toBe("stall");
  expect(error?.message).toContain("150 s");
});

test("a stream that was alive before the computer slept gets all the time again", async () => {
  const clock = new FakeClock();
  let sleptMs = 0;
  const fetch = async (): Promise<Response> => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          // The client has read what came before.
          await Bun.sleep(1);
          if (pulls++ > 1) {
            sleptMs = 3_600_000;
            clock.advance(30_000);
            clock.advance(2_999);
            return controller.error(new Error("closed"));
          }
          if (pulls > 1) clock.advance(27_000);
          controller.enqueue(new TextEncoder().encode('event: ping\ndata: {"type":"ping"}\n\n'));
        },
      },
      { highWaterMark: 0 },
    );
    return streamed(body);
  };
  const { client } = open({
    clock: { now: () => clock.now() + sleptMs, random: () => 0, after: clock.after.bind(clock) },
    fetch,
  });
  const { error } = await run(client, buildRequest());
  expect(error?.kind).toBe("busy");
});

test("a call to a server that never answers is ended, too", async () => {
  const { client, clock } = open({
    fetch: (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
        queueMicrotask(() => clock.advance(30_000));
      }),
  });
  expect((await run(client, buildRequest())).error?.kind).toBe("stall");
});

test("a call that the user stops does not count as a failure", async () => {
  const { fake, client } = open();
  fake.next(say("Once upon a time", { cut: { afterBlocks: 0, by: "stall" } }));
  const stop = new AbortController();
  const { error, events } = await run(client, buildRequest(), {
    signal: stop.signal,
    on: ({ type }) => {
      if (type === "delta") stop.abort();
    },
  });
  expect(error?.kind).toBe("aborted");
  expect(shown(events, "text")).toBe("Once up");
  const before = await run(client, buildRequest(), { signal: AbortSignal.abort() });
  expect(before.error?.kind).toBe("aborted");
});

test("leaving the stream early ends the call and its timers", async () => {
  const { fake, client } = open();
  fake.next(say("Once upon a time", { cut: { afterBlocks: 0, by: "stall" } }));
  for await (const _ of client.stream(buildRequest(), new AbortController().signal)) break;
  expect(fake.clock.waiting).toBe(0);
});

test("reports an address that does not answer", async () => {
  const { fake, client } = open();
  await fake.stop();
  const { error } = await run(client, buildRequest());
  expect(error?.kind).toBe("unreachable");
  expect(error?.message).toMatch(
    /^Cannot reach \S+ \([A-Z]+: Unable to connect\)\. Check the network/,
  );
});

test("refuses malformed events, ignores unknown ones", async () => {
  const text = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
  const with_ = (...events: { type: string }[]) =>
    open({ fetch: async () => streamed(toStream([start, text, ...events])) }).client;
  const broken = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: 7 } };
  expect((await run(with_(broken), buildRequest())).error).toMatchObject({
    kind: "invalid",
    message: expect.stringContaining("not part of the Messages API"),
  });
  const deep = { ...text, deep: JSON.parse("[".repeat(500) + "]".repeat(500)) };
  expect((await run(with_(deep), buildRequest())).error?.kind).toBe("invalid");
  const strange = [
    { type: "weather", sun: true },
    { type: "content_block_start", index: 1, content_block: { type: "hologram", data: 1 } },
    { type: "content_block_delta", index: 1, delta: { type: "hologram_delta" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ];
  const { blocks, stop, error } = await run(with_(...strange), buildRequest());
  expect(error).toBeNull();
  expect(blocks).toEqual([{ type: "text", text: "hi" }]);
  expect(stop?.usage).toEqual({ input: 1, cacheRead: 0, cacheWrite: 0, output: 2 });
});

test("an input or an error that is 100,000 deep is treated like any other invalid one", async () => {
  const deep = '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000);
  const call = { type: "tool_use", id: "t", name: "x", input: {} };
  const input = { type: "input_json_delta", partial_json: deep };
  const events = [
    start,
    { type: "content_block_start", index: 0, content_block: call },
    { type: "content_block_delta", index: 0, delta: input },
    { type: "content_block_stop", index: 0 },
    { type: "message_stop" },
  ];
  const answered = open({ fetch: async () => streamed(toStream(events)) }).client;
  expect((await run(answered, buildRequest())).blocks).toMatchObject([{ type: "tool_use" }]);
  let calls = 0;
  const headers = { "content-type": "application/json" };
  const refuse = async (): Promise<Response> => {
    calls += 1;
    return new Response(`{"type":"error","error":${deep}}`, { status: 400, headers });
  };
  const { error } = await run(open({ fetch: refuse }).client, buildRequest());
  expect([error?.kind, calls]).toEqual(["invalid", 1]);
  expect(error?.message.length).toBeLessThan(2_000);
});
