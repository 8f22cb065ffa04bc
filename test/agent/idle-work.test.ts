/** The server counts tokens while the agent is idle: the count goes into the log and delays nothing. */

import { expect, test } from "bun:test";
import { buildRequest } from "../../src/context/request.ts";
import { measure } from "../../src/context/meter/meter.ts";
import { project } from "../../src/context/view/view.ts";
import { ModelError } from "../../src/model/client.ts";
import type { ModelRequest } from "../../src/protocol/model.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { of, prompt, run, type RunOptions } from "./harness.ts";
import { MemoryLog } from "./memory-log.ts";
import { rules, says } from "./scripted.ts";

type Count = (request: ModelRequest, signal: AbortSignal) => Promise<number>;

/** What the server counts besides the request. */
const beside = 5;
const failed = { error: new ModelError("invalid", "no") };

/**
 * An agent that is idle after calls that failed, so that its prompts were never counted. It gets the next
 * one once the server was asked to count.
 */
async function idle(
  answer: Count,
  { prompts = 1, ...more }: Omit<RunOptions, "prompts"> & { prompts?: number } = {},
) {
  const counted: ModelRequest[] = [];
  let left = prompts;
  const done = await run(
    Array.from({ length: prompts }, () => failed),
    {
      prompts: ["word ".repeat(4_000)],
      idles: prompts,
      countTokens: async (request, signal) => {
        counted.push(request);
        return answer(request, signal);
      },
      on: (event, send) => {
        if (event.type === "idle" && --left > 0) setImmediate(() => send(prompt("again")));
      },
      ...more,
      rules: { countsTokens: true, ...more.rules },
    },
  );
  return { ...done, counted, counts: of(done.log.path, "count").map(({ tokens }) => tokens) };
}

test("the meter shows the server's count, live and from the log", async () => {
  const { log, counts, counted } = await idle(async () => 7_777 + beside);
  expect(counts).toEqual([7_777]);
  const reading = measure(project(log.path), rules, defaultPolicy, 0);
  expect(reading).toMatchObject({ usedTokens: 7_777, errorTokens: 0 });
  const next = buildRequest(project(log.path), rules, defaultPolicy);
  expect(counted[0]).toMatchObject({ system: next.system, tools: next.tools });
  expect(counted[0]?.messages).toHaveLength(next.messages.length);
  expect(counted[0]?.messages.at(-1)).toMatchObject({ role: "user", content: [{}, {}] });
});

test("nothing is counted if the server cannot, or hardly anything is only estimated", async () => {
  const cannot = await idle(async () => 9_000, { rules: { countsTokens: false } });
  expect(cannot.counted).toEqual([]);
  const little = await run([failed], {
    rules: { countsTokens: true },
    countTokens: () => Promise.reject(new Error("Nothing is to be counted.")),
  });
  expect(of(little.log.path, "count")).toEqual([]);
});

test.each([
  [0, []],
  [beside, []],
  [beside + 1, [1]],
  [10 * rules.windowTokens + beside, [10 * rules.windowTokens]],
  [10 * rules.windowTokens + beside + 1, []],
])("an answer of %d counts %j", async (answer, expected) => {
  expect((await idle(async () => answer)).counts).toEqual(expected);
});

test("a new prompt does not wait for the count, and one that comes too late leaves no trace", async () => {
  const late = (signal: AbortSignal) =>
    new Promise<number>((resolve) => signal.addEventListener("abort", () => resolve(9_000)));
  const aborted = (signal: AbortSignal) =>
    late(signal).then(() => Promise.reject(new ModelError("aborted", "stopped")));
  for (const wait of [late, aborted])
    expect((await idle((_, signal) => wait(signal), { prompts: 2 })).counts).toEqual([]);
});

test("a server that refuses to count is asked once; an unreachable one is asked again", async () => {
  const asked = async (kind: "invalid" | "unreachable") =>
    (await idle(() => Promise.reject(new ModelError(kind, "no")), { prompts: 3 })).counted.length;
  expect([await asked("invalid"), await asked("unreachable")]).toEqual([1, 3]);
});

test("a count that is being written is reported before what comes next", async () => {
  for (const next of ["prompt", "end"]) {
    const log = new MemoryLog();
    const { events } = await run([failed, says("ok")], {
      log,
      prompts: ["word ".repeat(4_000)],
      rules: { countsTokens: true },
      countTokens: async () => 9_000,
      idles: 2,
      on: (_event, send, _agent, end) => {
        log.before = async ({ type }) => {
          if (type !== "count") return;
          if (next === "prompt") send(prompt("again"));
          else end();
          for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
        };
      },
    });
    const first = events.findIndex(({ type }) => type === "idle");
    const types = events
      .slice(first + 1)
      .filter(({ type }) => type !== "phase")
      .slice(0, 2)
      .map((event) => (event.type === "entry" ? event.entry.type : event.type));
    expect(types).toEqual(next === "prompt" ? ["count", "user"] : ["count"]);
  }
});
