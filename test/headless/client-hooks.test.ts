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
