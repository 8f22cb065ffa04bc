/** How servers of chat completions differ: all of their variants are understood. */

import { expect, test } from "bun:test";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import type { Message } from "../../src/protocol/model.ts";
import { FakeClock } from "../fake-api/index.ts";
import { buildRequest, result, run, said, shown, user, uses } from "./calls.ts";
import { chatServer, chunk, done, event, refuse, staysOpen, type Reply } from "./chat-server.ts";

const say = (content: unknown): string => event(chunk({ content }));
const end = event(chunk({}, "stop"));
const part = (...tool_calls: object[]): string => event(chunk({ tool_calls }));
const callsEnd = event(chunk({}, "tool_calls")) + done;

/** A client whose server answers with these bodies, one after the other. */
function client(bodies: Reply[], clock?: FakeClock) {
  const { fetch, sent } = chatServer(bodies);
  const options = { baseUrl: "http://local", fetch, ...(clock && { clock }) };
  return { client: createOpenAiClient(options), sent };
}

const answerTo = (body: Reply, messages = [user("hi")]) =>
  run(client([body]).client, buildRequest({ model: "m", messages }));

const usage = (usage: object): string => event({ choices: [], usage });
const whole = { choices: [{ message: { content: "words" }, finish_reason: "stop" }] };

test.each<[string, string]>([
  ["lines that end in CRLF", event(chunk({ content: "words" }), "\r\n") + end + done],
  ["lines that end in CR", event(chunk({ content: "words" }, "stop"), "\r")],
  ["comments and no data", `: waiting\n\ndata:\n\nevent: ping\n\n${say("words")}${end}`],
  [
    "a byte order mark and no space",
    `\ufeffdata:${JSON.stringify(chunk({ content: "words" }))}\n\n${end}`,
  ],
  ["no last line break", say("words") + end.trimEnd()],
  ["no reason to finish", say("words") + done],
  ["an empty reason", say("words") + event(chunk({}, "")) + done],
  ["a reason that is a number", say("words") + event(chunk({}, 0)) + done],
  ["usage alone at the end", say("words") + usage({ prompt_tokens: 9 })],
  ["odd usage", say("words") + end + usage({ prompt_tokens: -1, completion_tokens: "x" })],
  ["content in parts", say([{ type: "thinking" }, { type: "text", text: "words" }]) + end],
  ["odd reasoning", event(chunk({ reasoning_content: { text: "hm" } })) + say("words") + end],
  ["a whole message in the stream", event(whole)],
  ["no stream at all", JSON.stringify(whole)],
  [
    "an event of two lines, and odd fields",
    `id: 1\ndatas: no\n data: no\n${say("words").replace(',"delta"', '\ndata:,"delta"')}${end}`,
  ],
])("an answer with %s is complete, in pieces of any size", async (_, body) => {
  const bytes = new TextEncoder().encode(body);
  for (const size of [1, 7, bytes.length]) {
    const pieces = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size)
          controller.enqueue(bytes.subarray(at, at + size));
        controller.close();
      },
    });
    const { blocks, error } = await answerTo(pieces);
    expect(error).toBeNull();
    expect(blocks).toEqual([{ type: "text", text: "words" }]);
  }
});

const named = { name: "read" };
const json = '{"path":"a"}';
/** A piece of a call with these arguments. */
const args = (given: unknown, more: object = { id: "c" }, of: object = named): string =>
  part({ index: 0, ...more, function: { ...of, arguments: given } });

test.each<[string, string]>([
  ["as an object", args({ path: "a" })],
  ["as JSON in JSON", args(JSON.stringify(json))],
  ["twice", args(json).repeat(2)],
  ["under a number as id", args(json, { id: 7 })],
  ["without an index", args(json, { index: null, id: "c" })],
  ["at a negative index", args(json, { index: -1, id: "c" })],
  [
    "with a name in pieces",
    args("", { index: "0", id: "c" }, { name: "re" }) + args(json, { index: "0" }, { name: "ad" }),
  ],
  ["with the name in every piece", args("") + args(json)],
  ["in a fence", args("```json\n") + args(`${json}\n`, {}, {}) + args("```", {}, {})],
  [
    "as a function call of old",
    event(chunk({ function_call: { ...named, arguments: "" } })) +
      event(chunk({ function_call: { arguments: json.slice(0, 5) } })) +
      event(chunk({ function_call: { arguments: json.slice(5) } }, "function_call")),
  ],
  [
    "with an id for every piece",
    args(json.slice(0, 5), { id: "c1" }) + args(json.slice(5), { id: "c2" }, { name: null }),
  ],
])("a call whose arguments come %s is one call", async (_, calls) => {
  const { blocks, stop, error } = await answerTo(calls + callsEnd);
  expect(error).toBeNull();
  expect(blocks).toMatchObject([{ type: "tool_use", name: "read", input: { path: "a" } }]);
  expect(stop?.stop).toBe("tool_use");
});

test.each<[object | string, string, string]>([
  [{ error: { code: 502, message: "gone" } }, "busy", "gone"],
  [{ error: { code: "429", message: "slow" } }, "busy", "slow"],
  [{ error: { code: "rate_limit_exceeded", message: "slow" } }, "busy", "slow"],
  [{ error: { code: 401, message: "who?" } }, "auth", "who?"],
  [{ error: { code: "insufficient_quota", message: "no credits" } }, "auth", "plan and balance"],
  [{ error: { code: 400, message: "bad" } }, "invalid", "bad"],
  [{ error: "in a word" }, "busy", "in a word"],
  [{ object: "error", code: 500, message: "broken" }, "busy", "broken"],
])(
  "the error %j after status 200 is %s, in a stream and without one",
  async (error, kind, words) => {
    for (const body of [say("so") + event(error), JSON.stringify(error)]) {
      const outcome = await answerTo(body);
      expect(outcome.error?.kind).toBe(kind as never);
      expect(outcome.error?.message).toContain(words);
    }
  },
);

test.each([
  ["without any word was lost", done, "busy"],
  ["that is a page is not retried", "<html>Log in</html>", "invalid"],
  ["with arguments in an unknown form is refused", args(7) + callsEnd, "invalid"],
] as const)("an answer %s", async (_, body, kind) => {
  expect((await answerTo(body)).error?.kind).toBe(kind);
});

test("usage that arrives before the text does not end the answer", async () => {
  const early = usage({ prompt_tokens: 3 });
  const { error, events } = await answerTo(early + say("half"));
  expect([error?.kind, shown(events, "text")]).toEqual(["busy", "half"]);
  expect((await answerTo(early + say("whole") + early)).error).toBeNull();
});

test("a complete answer does not wait for a server that keeps the connection open, or breaks it", async () => {
  expect((await answerTo(staysOpen(say("words") + end + done))).stop?.stop).toBe("end_turn");
  const clock = new FakeClock();
  const { client: patient } = client([staysOpen(say("words") + end)], clock);
  const silent = run(patient, buildRequest({ model: "m" }), {
    on: () => setTimeout(() => clock.advance(5_000), 50),
  });
  expect((await silent).stop?.stop).toBe("end_turn");
  let pulls = 0;
  const broken = new ReadableStream({
    pull(controller) {
      if (pulls++ === 0) controller.enqueue(new TextEncoder().encode(say("words") + end));
      else controller.error(new Error("reset"));
    },
  });
  expect((await answerTo(broken)).stop?.stop).toBe("end_turn");
});

const longId = `call_${"x".repeat(100)}`;
const withCalls: Message[] = [
  user("read"),
  said(...["1", "2"].map((end) => uses(longId + end, "read"))),
  user(...["1", "2"].map((end) => result(longId + end))),
];

test("an id with a signature in it goes back as it came, and the session keeps it in the API's alphabet", async () => {
  const id = "call_1__thought__CgQ+a/b9==é";
  const answer = args(json, { id }) + callsEnd;
  const { client: gateway, sent } = client([answer, say("words") + end + done]);
  const { blocks } = await run(gateway, buildRequest({ model: "m" }));
  const ids = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  expect(ids.join(" ")).toMatch(/^[\w-]+$/);
  const messages = [user("hi"), said(...blocks), user(...ids.map((id) => result(id, "r")))];
  await run(gateway, buildRequest({ model: "m", messages }));
  expect(sent[1]?.messages.flatMap(({ tool_calls }) => tool_calls ?? [])).toMatchObject([{ id }]);
  expect(sent[1]?.messages.at(-1)?.tool_call_id).toBe(id);
});

test.each<[string, RegExp]>([
  [
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 106 instead.",
    /^\w{40}$/,
  ],
  ["Tool call id was call_x but must be a-z, A-Z, 0-9, with a length of 9.", /^[a-z0-9]{9}$/],
  ["tool_call_id should match pattern '^[a-zA-Z0-9_-]{1,64}$'", /^\w{40}$/],
  ["tool_call_id is invalid", /^\w{40}$/],
  ["tool_call_id has a maximum length of 24", /^\w{24}$/],
  ["tool_call_id has a maximum length of 3", /^\w{9}$/],
  ["tool call id: at most 12 characters", /^\w{12}$/],
])("ids of calls are shortened if the server says %p", async (message, form) => {
  const refusal = () => refuse({ message });
  const { client: strict, sent } = client([refusal(), say("ok") + end, say("ok") + end]);
  const request = buildRequest({ model: "m", messages: withCalls });
  expect((await run(strict, request)).error).toBeNull();
  expect((await run(strict, request)).error).toBeNull();
  const listIds = (at: number) => {
    const messages = sent[at]?.messages ?? [];
    const calls = messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id));
    expect(messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(calls);
    return calls;
  };
  expect(listIds(0)).toEqual([`${longId}1`, `${longId}2`]);
  const [first, second] = listIds(1);
  expect(first).toMatch(form);
  expect(first).not.toBe(second ?? "");
  expect(listIds(2)).toEqual(listIds(1));
});

test.each([
  ["Invalid tool_call_id: must be something else", 2],
  ["tool_call_id is unknown", 1],
  ["the name has a maximum length of 24", 1],
  ["max_new_tokens is unknown", 1],
])("%s: it is not retried forever", async (message, calls) => {
  const refusals = Array.from({ length: 3 }, () => refuse({ message }));
  const { client: strict, sent } = client(refusals);
  const { error: told } = await run(strict, buildRequest({ model: "m", messages: withCalls }));
  expect(told?.kind).toBe("invalid");
  expect(sent).toHaveLength(calls);
});
