/** Subagents on the screen: one asks, one is moved to the background and reports when it ends. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { call, say, startFakeApi, type Answer, type ApiRequest } from "../fake-api/index.ts";
import { idle, program } from "./program.ts";

const box = await program("subagents");
afterAll(box.remove);

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
  await pty.type("go\r");
  await pty.waitFor("general-purpose: Run a command");
  await pty.waitFor("❯ Allow once");
  await pty.type("y");
  await pty.waitFor("1 subagent");
  expect(pty.screen()).toContain("It is made.");
  expect(await Bun.file(join(box.folder, "made.txt")).exists()).toBe(true);
  expect(pty.screen()).toMatch(/Agent general-purpose: make it +1 call · [\d.k]+ tokens · \$/);

  await pty.waitFor(idle);
  await pty.type("again\r");
  await pty.waitFor("It works on.");
  await pty.waitFor("The report came.");
  expect(pty.screen()).toContain("report of general-purpose");
  await pty.waitFor(idle);
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  await pty.close();
  await api.stop();
});
