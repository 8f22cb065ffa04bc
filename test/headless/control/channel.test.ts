import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { ControlChannel, type Handlers, parseLine } from "../../../src/headless/control/channel.ts";

type Message = Record<string, unknown>;

/** A channel whose input the test writes, piece by piece. */
function open() {
  const printed: Message[] = [];
  const warnings: string[] = [];
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const channel = new ControlChannel({
    input: readable,
    print: (message) => void printed.push({ ...message }),
    warn: (sentence) => void warnings.push(sentence),
  });
  const write = (text: string) => writer.write(new TextEncoder().encode(text));
  const send = (message: object) => write(`${JSON.stringify(message)}\n`);
  return { channel, printed, warnings, writer, write, send, end: () => writer.close() };
}

const user = (content: unknown) => ({ type: "user", message: { role: "user", content } });

/** Serves until the client has disconnected; returns what was received, in order. */
function served(channel: ControlChannel, more: Partial<Handlers> = {}): Promise<unknown[]> {
  const came: unknown[] = [];
  return new Promise((resolve) =>
    channel.serve({
      user: ({ message }) => void came.push(message.content),
      request: async ({ subtype }) => {
        came.push(subtype);
        return {};
      },
      end: () => resolve(came),
      ...more,
    }),
  );
}

test("lines in pieces, in any grouping, are handled in order; those before serving wait", async () => {
  const { channel, write, send, end, printed, warnings } = open();
  const line = JSON.stringify(user("häl"));
  await write(line.slice(0, 30));
  await write(`${line.slice(30)}\n\nnot JSON${"x".repeat(500)}\n`);
  await send({ type: "control_request", request_id: "1", request: { subtype: "interrupt" } });
  await write(JSON.stringify(user([{ type: "text", text: "last" }, { type: "document" }])));
  await end();
  expect(await served(channel)).toEqual([
    [{ type: "text", text: "häl" }],
    "interrupt",
    [
      { type: "text", text: "last" },
      { type: "text", text: "[A block of type “document” was left out: it is not supported.]" },
    ],
  ]);
  expect(warnings).toEqual([
    `A line on standard input is not a valid message and was ignored: not JSON${"x".repeat(192)}`,
  ]);
  expect(printed).toEqual([
    {
      type: "control_response",
      response: { subtype: "success", request_id: "1", response: {} },
    },
  ]);
});

test("closing lets go of the input and ends as if the client had closed its end", async () => {
  let isReleased = false;
  const channel = new ControlChannel({
    input: new ReadableStream({ cancel: () => void (isReleased = true) }),
    print: () => undefined,
    warn: () => undefined,
  });
  const came = served(channel);
  await channel.close();
  expect(isReleased).toBe(true);
  expect(await came).toEqual([]);
});

test("a chunk may end within a character", async () => {
  const { channel, writer, end } = open();
  const bytes = new TextEncoder().encode(JSON.stringify(user("häl")));
  const within = bytes.indexOf(0xc3) + 1;
  await writer.write(bytes.slice(0, within));
  await writer.write(bytes.slice(within));
  await end();
  expect(await served(channel)).toEqual([[{ type: "text", text: "häl" }]]);
});

test("initialize is known before serving; null when the client begins with anything else", async () => {
  const first = open();
  const request = { subtype: "initialize", appendSystemPrompt: "x" };
  await first.send({ type: "control_request", request_id: "1", request });
  expect(await first.channel.initialize).toEqual(request);
  const second = open();
  await second.send(user("hi"));
  expect(await second.channel.initialize).toBeNull();
  const third = open();
  await third.end();
  expect(await third.channel.initialize).toBeNull();
});

test("our request is answered, refused, withdrawn, or ends with the connection", async () => {
  const { channel, printed, send, end } = open();
  const ask = (signal?: AbortSignal) => channel.request({ subtype: "can_use_tool" }, signal);
  const answered = ask();
  const refused = ask();
  const withdrawn = new AbortController();
  const cancelled = ask(withdrawn.signal);
  const lost = ask();
  const ids = printed.map((message) => message["request_id"]);
  const respond = (response: object) => send({ type: "control_response", response });
  await respond({ subtype: "success", request_id: ids[0], response: { behavior: "allow" } });
  expect(await answered).toEqual({ behavior: "allow" });
  await respond({ subtype: "error", request_id: ids[1], error: "no" });
  await expect(refused).rejects.toThrow("no");
  const empty = ask();
  const emptyId = printed.at(-1)?.["request_id"];
  await respond({ subtype: "success", request_id: emptyId, response: null });
  expect(await empty).toEqual({});
  withdrawn.abort();
  await expect(cancelled).rejects.toThrow("withdrawn");
  expect(printed.at(-1)).toEqual({ type: "control_cancel_request", request_id: ids[2] });
  const late = new AbortController();
  const settled = ask(late.signal);
  await respond({ subtype: "success", request_id: printed.at(-1)?.["request_id"], response: {} });
  expect(await settled).toEqual({});
  late.abort();
  expect(printed.at(-1)).toMatchObject({ type: "control_request" });
  await end();
  await expect(lost).rejects.toThrow("closed the connection");
  await expect(ask()).rejects.toThrow("closed the connection");
});

test("a question that is withdrawn before it is asked is not waited for", async () => {
  const { channel, printed } = open();
  const asked = channel.request({ subtype: "can_use_tool" }, AbortSignal.abort());
  await expect(asked).rejects.toThrow("withdrawn");
  expect(printed.map(({ type }) => type)).toEqual(["control_request", "control_cancel_request"]);
});

test("what cannot be done is answered with a sentence", async () => {
  const { channel, printed, send, end } = open();
  await send({ type: "control_request", request_id: "1", request: { subtype: "fly" } });
  await end();
  await served(channel, {
    request: async () => {
      throw new Error("Not today.");
    },
  });
  expect(printed).toEqual([
    {
      type: "control_response",
      response: { subtype: "error", request_id: "1", error: "Not today." },
    },
  ]);
});

test("no line breaks the parser", () => {
  const value = fc.jsonValue();
  const like = fc.record({
    type: fc.constantFrom("user", "control_request", "control_response", "keep_alive"),
    message: fc.oneof(value, fc.record({ role: fc.constant("user"), content: value })),
    request: value,
    response: value,
    request_id: value,
  });
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), value.map(JSON.stringify), like.map(JSON.stringify)),
      (line) => {
        const parsed = parseLine(line ?? "");
        if (parsed?.type === "user") expect(Array.isArray(parsed.message.content)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

test("a line that does not end closes the connection, after lines of any length", async () => {
  const { channel, write, warnings } = open();
  const came = served(channel);
  const piece = " ".repeat(16 * 1024 ** 2);
  for (let sent = 0; sent < 8; sent++) await write(piece);
  await write(`\n${JSON.stringify(user("still here"))}\n`);
  for (let sent = 0; sent < 8; sent++) await write(piece);
  write(" ").catch(() => undefined);
  expect(await came).toEqual([[{ type: "text", text: "still here" }]]);
  expect(warnings).toEqual(["A line on standard input is longer than 128 MB."]);
});
