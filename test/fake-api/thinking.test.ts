/**
 * Bound thinking: a block is valid only after exactly the content that preceded it when it was
 * made.
 */

import { expect, test } from "bun:test";
import { accept, ask, assistant, refusal, result, text, tools, user } from "./ask.ts";
import { bindingBeta, compactionBeta } from "./limits.ts";
import { call, FakeApi, say, think } from "./index.ts";

const bound = "bound to a different conversation";
const dropping = {
  thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
};

/** Three finished turns, each with thinking. */
async function conversation() {
  const api = new FakeApi({ responder: () => say("ok") });
  const messages: object[] = [];
  for (const n of [1, 2, 3]) {
    messages.push(user(`question ${n}`));
    api.next({ content: [think(`thought ${n}`), { type: "text", text: `answer ${n}` }] });
    const { content } = await accept(api, { messages });
    messages.push({ role: "assistant", content });
  }
  messages.push(user("go on"));
  return { api, messages };
}

const withoutThinking = (message: object | undefined) => {
  if (message === undefined || !("content" in message) || !Array.isArray(message.content))
    throw new Error("no message");
  return { ...message, content: message.content.filter(({ type }) => type !== "thinking") };
};

type Change = (messages: object[]) => object[];
const unchanged: Change = (messages) => messages;

test.each<[string, object, Change]>([
  ["the system prompt", { system: "Be brief." }, unchanged],
  ["the tools", { tools }, unchanged],
  ["the first message", {}, (messages) => messages.with(0, user("question one"))],
  ["a later message", {}, (messages) => messages.with(2, user("question two"))],
  ["an answer", {}, (messages) => messages.with(1, assistant("another answer"))],
  ["the start", {}, (messages) => messages.slice(2)],
])("after a change of %s the thinking after it is refused", async (_, more, change) => {
  const { api, messages } = await conversation();
  expect(await refusal(api, { ...more, messages: change(messages) })).toContain(bound);
  expect(await refusal(api, { messages: messages.with(6, user("other")) })).toBeNull();
});

test("thinking may be removed from the start, not from the middle", async () => {
  const { api, messages } = await conversation();
  const moved = messages.with(0, user(text("question 1", { type: "ephemeral" })));
  const first = moved.with(1, withoutThinking(messages[1]));
  expect(await refusal(api, { messages: first })).toBeNull();
  const middle = messages.with(3, withoutThinking(messages[3]));
  expect(await refusal(api, { messages: middle })).toContain(`messages.5.content.0`);
  const all = messages.map((message, at) => (at % 2 ? withoutThinking(message) : message));
  expect(await refusal(api, { messages: all })).toBeNull();
});

test("drop_block drops and reports; new thinking stays valid, and old blocks stay dropped", async () => {
  const { api, messages } = await conversation();
  const changed: object[] = messages.with(2, user("question two"));
  const betas = [bindingBeta];
  api.next({ content: [think("anew"), { type: "text", text: "fresh" }] });
  const reply = await accept(api, { ...dropping, messages: changed }, { betas });
  const dropped = ["messages.3.content.0", "messages.5.content.0"].map((path) => {
    return { type: "thinking_dropped", path, reason: "prefix_binding_mismatch" };
  });
  expect(reply.input_transformations).toEqual(dropped);
  changed.push({ role: "assistant", content: reply.content }, user("more"));
  const next = await accept(api, { ...dropping, messages: changed }, { betas });
  expect(next.input_transformations).toEqual(dropped);
  // It was removed for good, so nothing is left to drop.
  const stripped = [3, 5].reduce((all, at) => all.with(at, withoutThinking(all[at])), changed);
  expect(await refusal(api, { messages: stripped })).toBeNull();
});

test("the thinking of an open turn must come back whole", async () => {
  const api = new FakeApi();
  api.next(
    { content: [think("first"), call("read", {}, "a")] },
    { content: [think("second"), call("read", {}, "b")] },
    say("done"),
  );
  const messages: object[] = [user("look")];
  for (const id of ["a", "b"]) {
    const { content } = await accept(api, { tools, messages });
    messages.push({ role: "assistant", content }, user(result(id)));
  }
  const cannot = "in the latest assistant message cannot be modified";
  for (const at of [1, 3]) {
    const stripped = messages.with(at, withoutThinking(messages[at]));
    const body = { tools, messages: stripped };
    expect(await refusal(api, body)).toMatch(new RegExp(`${cannot}|${bound}`));
    expect(await refusal(api, { ...body, ...dropping }, { betas: [bindingBeta] })).toContain(
      cannot,
    );
  }
  expect(await refusal(api, { tools, messages })).toBeNull();
  expect(api.failures).toEqual([]);
});

test("the server's own summary takes the place of what it covers, and kept thinking stays good", async () => {
  const { api, messages } = await conversation();
  const betas = [compactionBeta];
  const body = { compaction: { type: "summarize" }, messages: messages.slice(0, 4) };
  const { content, stop_reason, usage } = await accept(api, body, { betas });
  expect(stop_reason).toBe("compaction");
  // As an iteration only: nothing is billed twice.
  expect(usage["iterations"]).toMatchObject([{ type: "compaction" }]);
  expect(usage).toMatchObject({ input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 });
  const tail = messages.slice(4);
  const swapped = [{ role: "assistant", content }, ...tail];
  expect(await refusal(api, { messages: swapped }, { betas })).toBeNull();
  expect(await refusal(api, { messages: swapped })).toContain("'compaction'");
  const [block] = content;
  const changed = { ...block, content: "something else" };
  const late = [user("a"), assistant({ ...block }), user("b")];
  for (const [messages, error_code] of [
    [[assistant(changed), ...tail], "compaction_signature_invalid"],
    [late, "compaction_block_misplaced"],
  ]) {
    const { status, error } = await ask(api, { messages }, { betas });
    expect([status, error]).toMatchObject([400, { details: { error_code } }]);
  }
});
