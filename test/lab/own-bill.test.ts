/** The replay of our own log predicts what the session was billed. */

import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { EntryOf } from "../../src/protocol/entry.ts";
import { callCost } from "../../src/protocol/model.ts";
import { lookUpRules } from "../../src/model/catalog.ts";
import { findDependencies } from "./dependencies.ts";
import { toRecording } from "./own-log.ts";
import { product } from "./policies.ts";
import { simulate } from "./simulate.ts";
import { workbench } from "./workbench.ts";
import { call, FakeClock, startFakeApi, think, type RunningFakeApi } from "../fake-api/index.ts";

const minute = 60_000;
const windowTokens = 200_000;
const turns = 14;
/** A break before these turns: the cache goes cold, and old results are cut. */
const breaks = new Map([
  [7, 7 * minute],
  [9, 80 * minute],
  [11, 20 * minute],
]);

let fake: RunningFakeApi | undefined;
afterEach(async () => {
  expect(fake?.refusals ?? []).toEqual([]);
  await fake?.stop();
});

const text = (seed: number): string =>
  Array.from(
    { length: 420 },
    (_, line) => `const v${seed}_${line} = "${"ab ".repeat((line * seed) % 9)}";`,
  ).join("\n");

async function live() {
  const clock = new FakeClock();
  fake = startFakeApi({ clock, model: { windowTokens } });
  const bench = await workbench(fake.url, {
    now: clock.now,
    compacts: true,
    policy: {},
  });
  for (let turn = 0; turn < turns; turn++) {
    const paths = ["a", "b"].map((name) => `${name}${turn}.ts`);
    for (const [at, path] of paths.entries())
      await Bun.write(join(bench.folder, path), text(turn * 2 + at + 1));
    fake.next(
      [
        think(`Which files? ${"hm ".repeat(turn * 9)}`),
        ...paths.map((path) => call("Read", { path }, `c-${path.replace(".", "-")}`)),
      ],
      [{ type: "text", text: `Both are read. ${"Well. ".repeat(turn)}` }],
    );
    clock.advance(breaks.get(turn) ?? 9_000);
    await bench.ask(`Read part ${turn}, please.`);
  }
  const path = [...bench.log.path];
  await bench.close();
  return path;
}

test("the replay of a session's own log predicts its bill within 1 %", async () => {
  const path = await live();
  const rules = { ...lookUpRules("claude-sonnet-5-5"), windowTokens };
  const calls = path.filter((entry): entry is EntryOf<"assistant"> => entry.type === "assistant");
  const billed = calls.reduce((sum, { usage }) => sum + callCost(usage, rules.prices), 0);
  const recording = toRecording("bench", path);
  const settings = { rules, overheadTokens: 15_000, ttl: null };
  const outcome = simulate(recording, findDependencies(recording), product({}, ""), settings);
  const cuts = path.filter(({ type }) => type === "cut");
  expect(cuts.length).toBeGreaterThan(1);
  expect(outcome.events).toHaveLength(cuts.length);
  const dollars = `${outcome.usd.toFixed(4)} predicted, ${billed.toFixed(4)} billed`;
  expect(Math.abs(outcome.usd / billed - 1), dollars).toBeLessThan(0.01);
});
