import { expect, test } from "bun:test";
import { runWatched } from "../../src/agent/inner-calls.ts";
import type { Ask, AgentEvent } from "../../src/protocol/event.ts";
import type { PermissionMode } from "../../src/protocol/permission.ts";
import { ScriptedToolbox } from "./scripted.ts";

const question: Ask = {
  id: "q",
  toolUse: "t",
  tool: "small",
  title: "Who are you?",
  detail: "",
  detailKind: "text",
  rule: null,
};

/** The answer to a running call, and the questions that the user sees. */
async function asked(mode: PermissionMode) {
  const toolbox = new ScriptedToolbox(async (_, { ask }) => {
    const { allow } = await ask(question);
    return allow ? "yes" : "no";
  });
  toolbox.mode = mode;
  const approvals = {
    ask: async () => ({ allow: true, scope: "once" }) as const,
    background: () => new Promise<void>(() => undefined),
  };
  const call = { type: "tool_use", id: "t", name: "free", input: {} } as const;
  const events: AgentEvent[] = [];
  const run = runWatched({ toolbox, approvals }, call, new AbortController().signal);
  for (;;) {
    const { value, done } = await run.next();
    if (done) return { said: value.content, events: events.map(({ type }) => type) };
    events.push(value);
  }
}

test("a running call may ask the user, but not in a mode that never asks", async () => {
  expect(await asked("default")).toEqual({
    said: [{ type: "text", text: "yes" }],
    events: ["ask", "asked"],
  });
  expect(await asked("dont-ask")).toEqual({ said: [{ type: "text", text: "no" }], events: [] });
});
