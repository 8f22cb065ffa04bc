/** Hooks that run in the client. */

import { expect, test } from "bun:test";
import { ControlChannel } from "../../src/headless/control/channel.ts";
import { registerClientHooks } from "../../src/headless/client.ts";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";

const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" };
const run = { signal: new AbortController().signal, emit: () => undefined };

/** A channel whose client answers every request with `response`; null: never. */
function channelTo(response: object | null) {
  const requests: object[] = [];
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const channel = new ControlChannel({
    input: readable,
    warn: () => undefined,
    print(message) {
      const { request_id, request } = Object(message);
      if (request === undefined) return;
      requests.push(request);
      const answer = { subtype: "success", request_id, response };
      const line = JSON.stringify({ type: "control_response", response: answer });
      if (response) void writer.write(Buffer.from(`${line}\n`));
    },
  });
  return { channel, requests };
}

const before = (callbackId: string, more = {}) => {
  return { event: "PreToolUse", matcher: undefined, callbackId, timeoutMs: undefined, ...more };
};

test("the client gets the event's input and the call's id; its answer counts", async () => {
  const { channel, requests } = channelTo({ decision: "block", reason: "Not today." });
  const hooks = hooksWith();
  registerClientHooks(hooks, channel, [before("one", { matcher: "Bash" })], false);
  expect((await hooks.run("PreToolUse", call, run)).block).toBe("Not today.");
  expect(requests).toMatchObject([
    {
      subtype: "hook_callback",
      callback_id: "one",
      tool_use_id: "t1",
      input: { hook_event_name: "PreToolUse", tool_name: "Bash" },
    },
  ]);
  await hooks.run("PreToolUse", { ...call, tool_name: "Read" }, run);
  expect(requests).toHaveLength(1);
  expect(await hooks.list()).toMatchObject([{ source: "client", name: "one" }]);
});

test("an event without a call has no id; events that do not exist are left out", async () => {
  const { channel, requests } = channelTo({});
  const hooks = hooksWith();
  const stop = before("stop", { event: "Stop" });
  registerClientHooks(hooks, channel, [stop, { ...stop, event: "WorldEnd" }], false);
  await hooks.run("Stop", { stop_hook_active: false, last_assistant_message: "" }, run);
  expect(requests).toHaveLength(1);
  expect(requests[0]).not.toHaveProperty("tool_use_id");
  expect(await hooks.list()).toHaveLength(1);
});

test("a subagent has those for its calls only", async () => {
  const { channel } = channelTo({});
  const hooks = hooksWith();
  const stop = before("stop", { event: "Stop" });
  registerClientHooks(hooks, channel, [before("one"), stop], true);
  expect((await hooks.list()).map(({ event }) => event)).toEqual(["PreToolUse"]);
});

test("a client that does not answer in time costs a warning", async () => {
  const { channel } = channelTo(null);
  const hooks = hooksWith();
  registerClientHooks(hooks, channel, [before("slow", { timeoutMs: 1 })], false);
  const { block, messages } = await hooks.run("PreToolUse", call, run);
  expect(block).toBeNull();
  expect(messages[0]).toStartWith("The PreToolUse hook “slow” failed");
});
