/** Subagents on the screen: one asks, and one in the background asks and reports when it ends. */

import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { call, say, startFakeApi, type Answer, type ApiRequest } from "../fake-api/index.ts";
import { idle, program } from "./program.ts";

const box = await program("subagents");
afterAll(box.remove);
const made = join(box.folder, "made.txt");

const isSubagent = ({ system }: ApiRequest): boolean =>
  JSON.stringify(system).includes("You work for another agent");

function answerTo(request: ApiRequest): Answer {
  const turn = request.messages.filter(({ role }) => role === "assistant").length;
  const last = JSON.stringify(request.messages.at(-1));
  if (isSubagent(request))
    return turn === 0
      ? { content: [call("Bash", { command: "touch made.txt" })] }
      : say(last.includes("denied") ? "I was not allowed to." : "I made it.");
  if (last.includes("report of")) return say("The report came.");
  if (last.includes("I made it.")) return say("It is made.");
  if (last.includes("I was not allowed to.")) return say("The report came.");
  if (last.includes("Working in the background")) return say("It works on.");
  const isSecond = last.includes("again");
  const task = { description: "make it", prompt: "Make a file." };
  return { content: [call("Agent", { ...task, ...(isSecond && { run_in_background: true }) })] };
}

test("a subagent asks as the main agent does, and its cost and its calls are in its row", async () => {
  const api = startFakeApi({ responder: answerTo });
  const env = { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: api.url };
  const pty = await box.open({ env });
  await pty.send("go", "general-purpose: Run a command");
  await pty.waitFor("Allow once (y)");
  await pty.press("tab");
  await pty.type("y");
  await pty.waitFor("1 subagent");
  expect(pty.screen()).toContain("It is made.");
  expect(await Bun.file(made).exists()).toBe(true);
  expect(pty.screen()).toMatch(/Agent general-purpose: make it +1 call · [\d.k]+ tokens · \$/);

  await pty.waitFor(idle);
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  await pty.close();
  await api.stop();
});

/** A session whose subagent works in the background and, when `mayAsk` resolves, wants to run a command. */
async function openWithBackground() {
  const mayAsk = Promise.withResolvers<void>();
  const api = startFakeApi({
    async responder(request) {
      if (isSubagent(request) && request.messages.length === 1) await mayAsk.promise;
      return answerTo(request);
    },
  });
  const pty = await box.open({ env: { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: api.url } });
  await rm(made, { force: true });
  await pty.send("again", "It works on.");
  await pty.waitFor(idle);
  return {
    pty,
    mayAsk: () => mayAsk.resolve(),
    async leave() {
      await pty.press("ctrl+d");
      expect(await pty.exited).toBe(0);
      await pty.close();
      await api.stop();
    },
  };
}

const asks = "general-purpose: Run a command (in the background)";

test("a subagent in the background asks by its name, and what is typed meanwhile is kept", async () => {
  const { pty, mayAsk, leave } = await openWithBackground();
  await pty.type("a dra");
  mayAsk();
  await pty.waitFor(asks);
  await pty.type("ft, y");
  await pty.waitFor("a draft, y");
  await pty.waitFor("Press Tab to answer");
  await pty.hit("tab", "❯ Allow once");
  await pty.type("y");
  await pty.waitFor("The report came.");
  expect(await Bun.file(made).exists()).toBe(true);
  expect(pty.screen()).toContain("❯ a draft, y");
  await pty.press("ctrl+u");
  await leave();
});

test("a question from the background waits until an open panel is closed", async () => {
  const { pty, mayAsk, leave } = await openWithBackground();
  await pty.send("/cost", "Cost:");
  mayAsk();
  await pty.waitFor("Waiting for you");
  expect(pty.screen()).toContain("Cost:");
  expect(pty.screen()).not.toContain(asks);
  await pty.hit("escape", asks);
  await pty.press("tab");
  await pty.type("y");
  await pty.waitFor("The report came.");
  await leave();
});

test("leaving while a subagent asks in the background ends it", async () => {
  const { pty, mayAsk, leave } = await openWithBackground();
  mayAsk();
  await pty.waitFor(asks);
  await leave();
  expect(await Bun.file(made).exists()).toBe(false);
});
