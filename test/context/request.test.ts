/** From the view to a request: what is in it, what is marked, what is refused. */

import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { buildCountRequest, buildRequest, buildSummaryRequest } from "../../src/context/request.ts";
import { Projection } from "../../src/context/view/view.ts";
import type { Message, ModelRequest } from "../../src/protocol/model.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { brokenRules, Cache, flat } from "./api-rules.ts";
import { begin, Builder, call, rules, say, serverSummary, think } from "./build.ts";
import { paths, prose } from "./sessions.ts";
import { told } from "./summary/say.ts";

const wide = { ...rules, windowTokens: 10_000_000 };

const countMarks = ({ system, tools, messages }: ModelRequest): number =>
  [...system, ...tools, ...messages.flatMap(({ content }) => content)].filter(
    (block) => block.cache_control,
  ).length;

test("every call reads from the cache all that the previous one sent, if nothing was edited", () => {
  fc.assert(
    fc.property(paths({ plain: true }), (path) => {
      const cache = new Cache();
      const projection = new Projection();
      let sent = 0;
      for (const entry of path) {
        if (entry.type === "assistant") {
          const request = buildRequest(projection.view, wide, defaultPolicy);
          const taken = cache.take(request);
          expect(taken.read).toBeGreaterThanOrEqual(sent);
          expect(countMarks(request)).toBeLessThanOrEqual(4);
          ({ sent } = taken);
        }
        projection.push(entry);
      }
    }),
    { numRuns: 70 },
  );
});

test("a model without a cache gets no marks, and an hour is asked for where it is set", () => {
  const session = begin("Hello.");
  expect(countMarks(buildRequest(session.view, { ...rules, caches: false }, defaultPolicy))).toBe(
    0,
  );
  const hour = buildRequest(session.view, rules, { ...defaultPolicy, cacheTtl: "1h" });
  expect(hour.system[0]?.cache_control).toEqual({ type: "ephemeral", ttl: "1h" });
});

test("system and tools are the session's, byte for byte, whatever happens", () => {
  const session = begin("Hello.", { system: "Be brief." });
  const before = buildRequest(session.view, rules, defaultPolicy);
  session.step("c1", prose(900));
  session.add(told("mode", "plan", "Only plan."));
  session.cover("e2", "e4");
  session.user("Go on.");
  const after = buildRequest(session.view, rules, defaultPolicy);
  expect([after.system, after.tools]).toEqual([before.system, before.tools]);
});

test("a request for counting holds the whole view, however large, and ends with the user", () => {
  const session = new Builder();
  session.turn(prose(90_000), "Yes.");
  const model = { ...rules, windowTokens: 8_192 };
  expect(() => buildRequest(session.view, model, defaultPolicy)).toThrow();
  const { request, besideTokens } = buildCountRequest(session.view, model, defaultPolicy);
  expect(request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(request.messages.at(-1)?.content).toEqual([say("…")]);
  expect(besideTokens).toBe(5);
});

test("thinking is adaptive where the model thinks, with the effort that is set", () => {
  const session = begin("Hello.");
  expect(buildRequest(session.view, rules, defaultPolicy)).toMatchObject({ thinking: "adaptive" });
  const other = { ...rules, thinking: "none", effort: "low" } as const;
  const request = buildRequest(session.view, other, defaultPolicy);
  expect(request).toMatchObject({ thinking: "off", effort: "low" });
});

test("a summary is asked for over the same bytes, up to the end of its span", () => {
  const session = begin("First.");
  session.step("c1", prose(900));
  const turn = buildRequest(session.view, rules, defaultPolicy);
  session.next("Second.");
  const span = { from: "e2", to: "e5" };
  const prompt = "Summarize the conversation.";
  const request = buildSummaryRequest(session.view, span, rules, defaultPolicy, { prompt });
  expect(flat(request.messages).slice(0, flat(turn.messages).length)).toEqual(flat(turn.messages));
  expect([request.system, request.tools, request.thinking]).toEqual([
    turn.system,
    turn.tools,
    turn.thinking,
  ]);
  expect(request.messages.at(-1)?.content.at(-1)).toMatchObject({ type: "text", text: prompt });
  expect(JSON.stringify(request.messages)).not.toContain("Second.");
  expect(request.purpose).toBe("summary");
  const cache = new Cache();
  const { sent } = cache.take(turn);
  expect(cache.take(request).read).toBe(sent);
});

test("a summary request that is too long loses its oldest groups and stays valid", () => {
  fc.assert(
    fc.property(paths(), fc.integer({ min: 0, max: 3 }), (path, dropOldest) => {
      const { view } = new Projection(path);
      const span = { from: "e2", to: path.at(-1)?.id ?? "e2" };
      const ask = (drop: number) =>
        buildSummaryRequest(view, span, wide, defaultPolicy, {
          prompt: "Sum up.",
          dropOldest: drop,
        });
      const request = ask(dropOldest);
      expect(brokenRules(request.messages)).toEqual([]);
      expect(flat(request.messages).length).toBeLessThanOrEqual(flat(ask(0).messages).length + 1);
    }),
    { numRuns: 150 },
  );
});

test("a summary request holds the server's own summary first, unless it leaves out the oldest messages", () => {
  const session = new Builder();
  const first = session.user("Go.").id;
  const { id } = session.step("a", "one");
  session.cover(first, id, "Sum.", { block: serverSummary() });
  const { id: near } = session.step("b", "two");
  const { id: far } = session.step("c", "three");
  for (const [dropOldest, to] of [
    [0, far],
    [1, far],
    [2, far],
    [3, far],
    [1, near],
  ] as const) {
    const span = { from: first, to };
    const options = { prompt: "Sum up.", dropOldest };
    const { messages } = buildSummaryRequest(session.view, span, wide, defaultPolicy, options);
    const at = messages
      .flatMap(({ content }) => content)
      .findIndex(({ type }) => type === "compaction");
    expect(at).toBeWithin(dropOldest === 0 ? 0 : -1, 1);
  }
});

const user = (...content: Message["content"]): Message => ({ role: "user", content });
const model = (...content: Message["content"]): Message => ({ role: "assistant", content });
const result = (id: string, text = "x") => ({
  type: "tool_result" as const,
  tool_use_id: id,
  content: [say(text)],
});
const mark = { cache_control: { type: "ephemeral" } } as const;

const valid: Message[] = [
  user(say("go")),
  model(call("a"), call("b")),
  user(result("a", "1"), result("b", "2"), say("more")),
];

/** After the calls. */
const then = (...last: Message[]) => [...valid.slice(0, 2), ...last];
const later = (answer: Message) => [...valid, answer, user(say("x"))];

const faults: [string, Message[], RegExp][] = [
  [
    "the server's summary after something else",
    later(model({ type: "compaction", content: "Sum." })),
    /summary/,
  ],
  ["no message", [], /no message/],
  ["the assistant begins", valid.slice(1), /first message/],
  ["the user speaks twice", [user(say("hm")), ...valid], /messages 0 and 1 are both from the user/],
  ["an empty message", later(model()), /empty/],
  ["empty text", [user(say(" ")), ...valid.slice(1)], /empty text/],
  ["a result is missing", then(user(result("a"))), /call b has no result/],
  ["the last calls have no results", then(), /call a has no result/],
  ["a result without a call", then(user(...["a", "b", "c"].map((id) => result(id)))), /result c/],
  ["a result twice", then(user(...["a", "b", "a"].map((id) => result(id)))), /two results/],
  [
    "a word before the results",
    then(user(say("x"), result("a"), result("b"))),
    /text before its results/,
  ],
  [
    "a fifth mark",
    [user(...Array.from({ length: 5 }, () => ({ ...say("x"), ...mark }))), ...valid.slice(1)],
    /5 cache marks/,
  ],
  ["a marked thought", later(model({ ...think(), ...mark }, say("x"))), /thinking/],
  ["only thinking", later(model(think())), /thinking/],
  ["the assistant ends", [...valid, model(say("x"))], /last message is not from the user/],
];

/** Of a view that would show these messages. */
const send = (messages: Message[]) =>
  buildRequest({ ...new Builder().view, messages }, { ...rules, caches: false }, defaultPolicy);

test("what is valid is sent", () => {
  expect(send(valid).messages).toEqual(valid);
});

test.each(faults)("not sent: %s", (_, messages, words) => {
  expect(() => send(messages)).toThrow(/^The request is not valid: /);
  expect(() => send(messages)).toThrow(words);
});

test("a log without a session is refused", () => {
  expect(() => buildRequest(new Projection().view, rules, defaultPolicy)).toThrow(
    "The log does not start with a session, so nothing can be sent.",
  );
});
