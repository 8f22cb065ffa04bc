/** Questions of a run are answered by the program that controls it. */

import { expect, test } from "bun:test";
import type { AgentCommand } from "../../src/protocol/command.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { answering, type Approve } from "../../src/headless/answering.ts";
import { askAbout } from "../questions.ts";

const ask = (id: string): AgentEvent => ({ type: "ask", ask: askAbout("ls", { id }) });
const denyAll: Approve = async () => ({ allow: false });

async function answered(events: readonly AgentEvent[], { approve = denyAll } = {}) {
  const sent: AgentCommand[] = [];
  async function* stream(): AsyncGenerator<AgentEvent, void> {
    yield* events;
  }
  const options = { send: (command: AgentCommand) => void sent.push(command), approve };
  const seen = await Array.fromAsync(answering(stream(), options));
  // Lets the answers of settled promises arrive.
  await new Promise(setImmediate);
  return { sent, seen };
}

test("every event is passed on, and every question answered under its id", async () => {
  const events = [ask("a"), ask("b"), { type: "idle", why: "done" } as const];
  const { sent, seen } = await answered(events, {
    approve: async ({ id }) => ({ allow: false, reason: `not ${id}` }),
  });
  expect(seen).toEqual(events);
  expect(sent).toEqual([
    { type: "answer", id: "a", answer: { allow: false, reason: "not a" } },
    { type: "answer", id: "b", answer: { allow: false, reason: "not b" } },
  ]);
});

test("only the withdrawn question's handler is told that it was withdrawn", async () => {
  const withdrawn: string[] = [];
  const { sent } = await answered([ask("a"), ask("b"), { type: "asked", id: "a" }], {
    async approve({ id }, signal) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      withdrawn.push(id);
      return { allow: true, scope: "once" };
    },
  });
  expect(withdrawn).toEqual(["a"]);
  expect(sent).toEqual([{ type: "answer", id: "a", answer: { allow: true, scope: "once" } }]);
});

test("a handler that throws denies", async () => {
  const { sent } = await answered([ask("a")], {
    approve: () => Promise.reject(new Error("The client has gone.")),
  });
  expect(sent).toEqual([{ type: "answer", id: "a", answer: { allow: false } }]);
});
