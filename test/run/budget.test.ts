/** Caps on what may be spent: asked about before a call would pass one. */

import { expect, test } from "bun:test";
import type { Answer } from "../../src/protocol/command.ts";
import type { Ask } from "../../src/protocol/event.ts";
import { call, say } from "../fake-api/index.ts";
import { openedRuns, prompt, task, turn } from "./opened.ts";

const runs = openedRuns("budget");

type Caps = Partial<Record<"session" | "day" | "project", number>>;

/** Sends a prompt to a session with these caps; its questions get these answers, and then none. */
async function spend(
  caps: Caps,
  said: Parameters<typeof runs.open>[1],
  {
    answers = [],
    staysOpen = true,
    flags = [],
  }: { answers?: Answer[]; staysOpen?: boolean; flags?: string[] } = {},
) {
  const settings = ["--settings", JSON.stringify({ budget: caps }), ...flags];
  const opened = await runs.open(settings, said, { staysOpen });
  const asked: Ask[] = [];
  const events = await turn(opened, prompt("go"), (event) => {
    if (event.type !== "ask") return;
    asked.push(event.ask);
    const answer = answers.shift() ?? { allow: false };
    opened.send({ type: "answer", id: event.ask.id, answer });
  });
  const usd = opened.meter().cost.session;
  await opened.close();
  const last = events.at(-1);
  return {
    asked,
    usd,
    session: opened.log.session,
    end: last?.type === "idle" ? (last.message ?? last.why) : "",
    caps: events.flatMap((event) => (event.type === "budget" ? [event.budget] : [])),
    notes: opened.log.path.flatMap((entry) => (entry.type === "note" ? [entry.kind] : [])),
  };
}

const calls = () => runs.api.requests.filter(({ path }) => path === "/v1/messages").length;
const once: Answer = { allow: true, scope: "once" };
const lift: Answer = { allow: true, scope: "session" };
const glob = (pattern: string) => ({ content: [call("Glob", { pattern })] });

test("nothing is asked without a cap, or while the next call stays below it", async () => {
  const none = await spend({}, [say("Ok.")]);
  expect(none).toMatchObject({ asked: [], caps: [], end: "done" });
  const far = await spend({ session: 5 }, [say("Ok.")]);
  expect(far).toMatchObject({ asked: [], end: "done" });
  expect(far.caps[0]).toEqual([{ scope: "session", capUsd: 5, spentUsd: 0 }]);
});

test("the user is asked before the cap is passed, not after", async () => {
  const before = calls();
  const { asked, end } = await spend({ session: 0.002 }, []);
  expect(end).toBe("The budget for this session is $0.0020; $0.0000 is spent. /budget raises it.");
  expect(asked).toMatchObject([{ tool: "Budget", rule: "no budget" }]);
  expect(asked[0]?.detail).toMatch(
    /^The budget .*\nThe next call costs about \$0\.0\d+, without its answer\.\nAllow once: up to \$0\.0020 more\.$/,
  );
  expect(calls()).toBe(before);
});

test("allowed once it is raised by itself, for the session it is lifted", async () => {
  const said = [glob("a"), glob("b"), say("Ok.")];
  const { caps, notes, asked, end } = await spend({ session: 0.002 }, said, {
    answers: [once, lift],
  });
  expect(asked).toHaveLength(2);
  expect(new Set(caps.map((states) => states[0]?.capUsd))).toEqual(
    new Set([0.002, 0.004, undefined]),
  );
  // A turn's time leaves out what passed before a note of this kind.
  expect(notes).toEqual(["permission", "permission"]);
  expect(end).toBe("done");
});

test("what other sessions cost counts toward the day and the project, what this one cost before toward it", async () => {
  const { usd, session } = await spend({}, [say("Ok.")]);
  const flags = [`--resume=${session}`];
  expect((await spend({ session: usd }, [], { flags })).end).toContain("for this session is");
  const day = await spend({ session: 100, day: usd, project: 50 }, []);
  expect(day.end).toContain("The budget for today is");
  expect(day.caps[0]?.map(({ scope }) => scope)).toEqual(["day", "project", "session"]);
  expect(day.asked).toMatchObject([{ rule: "no budget for today" }]);
  expect((await spend({ project: usd }, [])).end).toContain("The budget for this project is");
});

test("where nobody can be asked, the run ends once the cap is reached", async () => {
  const { asked, end } = await spend({ session: 0.001 }, [glob("a")], { staysOpen: false });
  expect(end).toMatch(/^The budget for this session is \$0\.0010; \$0\.00\d+ is spent/);
  expect(asked).toEqual([]);
});

test("subagents that call at once are asked about once", async () => {
  const both = { content: ["A", "B"].flatMap((name) => task(`TASK ${name}`).content) };
  const said = [both, say("Seen."), say("Seen."), say("Done.")];
  const { asked, end } = await spend({ session: 0.002 }, said, { answers: [once, lift] });
  expect(end).toBe("done");
  expect(asked.map(({ title }) => title)).toEqual([
    "Go on past the budget?",
    "general-purpose: Go on past the budget?",
  ]);
});
