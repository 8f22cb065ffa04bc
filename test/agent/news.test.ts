/** What the model is told without a prompt of the user. */

import { expect, test } from "bun:test";
import { contextFact } from "../../src/protocol/context-fact.ts";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";
import { of, opening, run, prompt } from "./harness.ts";
import { MemoryLog } from "./memory-log.ts";
import { says, ScriptedToolbox } from "./scripted.ts";

const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 };
const subagent = { session: "s2", type: "Explore", model: "m", calls: 1, usage, usd: 0.5 };

test("news begins a turn of its own, once", async () => {
  const { log, logged, events } = await run([says("ok"), says("I see."), says("Yes.")], {
    next: [{ type: "news", title: "report", text: "All is well.", subagent }, prompt("Is it?")],
  });
  const report = contextFact("reminder", "report", "All is well.");
  expect(of(log.path, "context")).toMatchObject([{ ...report, subagent }]);
  expect(logged).toEndWith("assistant context assistant user assistant");
  expect(events.at(-1)).toEqual({ type: "idle", why: "done" });
  const begun = events.findIndex(({ type }) => type === "idle");
  const mine = events.slice(
    begun,
    events.findIndex(({ type }, at) => at > begun && type === "idle"),
  );
  expect(mine.map(({ type }) => type)).not.toContain("queue");
});

test("news that arrives together is delivered together", async () => {
  let idles = 0;
  const { log, model } = await run([says("ok"), says("I see.")], {
    idles: 2,
    on: (event, send) => {
      if (event.type !== "idle" || ++idles > 1) return;
      for (const title of ["one", "two"]) send({ type: "news", title, text: title });
    },
  });
  expect(JSON.stringify(model.requests.at(1)?.messages)).toContain("two");
  expect(of(log.path, "context").map(({ title }) => title)).toEqual(["one", "two"]);
});

test("announcements come before the prompt, what it refers to after it", async () => {
  const fact = contextFact("tools", "tools", "There is a new tool.");
  const note = (text: string) => contextFact("reminder", "resource", `For "${text}": a note.`);
  const { log, logged } = await run([says("ok")], {
    prompts: ["see @notes"],
    agent: {
      announcements: async (path) => (path.some(({ type }) => type === "context") ? [] : [fact]),
      attachments: async (text) => [note(text)],
    },
  });
  expect(logged).toBe("session context user context assistant");
  expect(of(log.path, "context")).toMatchObject([fact, note("see @notes")]);
});

test("what a hook says at the start of a session comes first", async () => {
  const seen: unknown[] = [];
  const hooks = hooksWith({
    SessionStart: async ({ source }) => {
      seen.push(source);
      return { context: "It is Monday." };
    },
  });
  const script = [says("ok"), says("yes")];
  const { log, logged } = await run(script, { hooks, next: [prompt("Is it?")] });
  expect(logged).toBe("session context user assistant user assistant");
  expect(of(log.path, "context")[0]?.title).toBe("SessionStart hook");
  await run([says("ok")], { hooks, log });
  // A session that was opened, and ended before its first message.
  const begun = new MemoryLog();
  for (const fact of opening) await begun.append(fact);
  await run([says("ok")], { hooks, log: begun });
  expect(seen).toEqual(["startup", "resume", "resume"]);
});

test.each([
  ["allow", true],
  ["refuse", false],
  ["ask", true],
  ["ask", false],
] as const)("instructions import a file if it may be read: %s, %p", async (verdict, may) => {
  const toolbox = new ScriptedToolbox();
  if (verdict === "allow") toolbox.allowed.push("Read");
  if (verdict === "refuse") toolbox.review = async () => ({ verdict, reason: "No." });
  const answers: boolean[] = [];
  const { events } = await run([says("ok")], {
    toolbox,
    agent: {
      opening: async (mayRead) => {
        answers.push(await mayRead("/other/rules.md"));
        return opening;
      },
    },
    answer: may ? { allow: true, scope: "once" } : { allow: false },
  });
  expect(answers).toEqual([may]);
  const asked = events.flatMap((event) => (event.type === "ask" ? [event.ask.title] : []));
  const title = "Import /other/rules.md into the instructions";
  expect(asked).toEqual(verdict === "ask" ? [title] : []);
});
