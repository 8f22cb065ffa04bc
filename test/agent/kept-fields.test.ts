import { expect, test } from "bun:test";
import type { ToolUseBlock } from "../../src/protocol/block.ts";
import { of, run } from "./harness.ts";
import { text } from "./scripted.ts";

const call: ToolUseBlock = {
  type: "tool_use",
  id: "a",
  name: "free",
  input: { x: 1 },
  extra: {
    call: { extra_content: { google: { thought_signature: "c2ln" } } },
    message: { reasoning_details: [{ type: "reasoning.encrypted", data: "x" }] },
  },
};

test("what a server added to a call is in the log and in later requests, as it came", async () => {
  const { log, model } = await run([{ blocks: [call] }, { blocks: [text("ok")] }]);
  const sent = model.requests[1]?.messages.flatMap(({ content }) => content) ?? [];
  expect(sent).toContainEqual(call);
  const [entry] = of(log.path, "assistant");
  expect(entry?.content).toEqual([call]);
});
