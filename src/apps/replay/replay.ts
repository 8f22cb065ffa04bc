/** `mini-claude replay`: a dry run of policies over recorded sessions. */

import type { ModelRules } from "../../protocol/model.ts";
import { chart } from "./chart.ts";
import { apiRequestOf } from "./emit.ts";
import { findRecordings, readRecording, type ReadForeign } from "./load.ts";
import { dependenciesOf } from "./dependencies.ts";
import { readOptions, usageText, type Options, type PolicyName } from "./options.ts";
import { lessonFourTiers, lessonThreeLayers, lessonThreshold, none } from "./lesson-policies.ts";
import { codex, gemini, opencode, windowLess33k } from "./rival-policies.ts";
import { sumResults, type ReplayResult } from "./replay-result.ts";
import type { ReplayPolicy } from "./policy.ts";
import { product } from "./product.ts";
import { RecordingError } from "./recording.ts";
import { simulate, type Watch } from "./simulate.ts";
import { legend, table } from "./table.ts";

export type ReplayIo = {
  out(text: string): void;
  err(text: string): void;
  /** Rules and prices of a model, from the catalogue. */
  rulesOf?(model: string): ModelRules;
  /** Reads sessions of other agents. */
  readForeign?: ReadForeign;
};

/** Gives the exit code: 0, or 2 when it was asked for something that cannot be. */
export async function runReplay(args: readonly string[], io: ReplayIo): Promise<number> {
  try {
    const options = readOptions(args);
    if (options.help || options.places.length === 0) {
      io.out(usageText);
      return options.help ? 0 : 2;
    }
    const paths = (await Promise.all(options.places.map(findRecordings))).flat();
    const chosen = paths.filter((_, index) => isInHalf(index, options.half));
    if (options.emit) await emit(chosen, options, io);
    else await report(chosen, options, io);
    return 0;
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    io.err(`${error.message}\n`);
    return 2;
  }
}

const isInHalf = (index: number, half: Options["half"]): boolean =>
  half === null || (index % 2 === 0) === (half === "train");

export const policies: Record<PolicyName, ReplayPolicy> = {
  none,
  thresholds: product("thresholds"),
  economy: product("economy", {}, "by prices: src/context/economy.ts"),
  "lesson-a": lessonThreeLayers,
  "lesson-b": lessonThreshold,
  "lesson-c": lessonFourTiers,
  "window-33k": windowLess33k,
  codex,
  gemini,
  opencode,
};

async function report(paths: readonly string[], options: Options, io: ReplayIo): Promise<void> {
  const results = new Map<string, ReplayResult[]>();
  for (const path of paths) {
    const recording = await readRecording(path, io.readForeign);
    const needs = dependenciesOf(recording);
    for (const window of options.windows) {
      const settings = settingsOf(options, window, io);
      for (const name of options.policies) {
        const outcome = simulate(recording, needs, policies[name], settings);
        const key = `${window} ${name}`;
        results.set(key, [...(results.get(key) ?? []), outcome]);
        if (options.chart) io.out(`${chart(outcome, window)}\n`);
      }
    }
  }
  const sums: object[] = [];
  for (const window of options.windows) {
    const lines = options.policies.map((name): ReplayResult => ({
      ...sumResults(results.get(`${window} ${name}`) ?? []),
      policy: name,
    }));
    if (options.json) {
      for (const name of options.policies)
        sums.push({
          window,
          policy: name,
          source: policies[name].source,
          sessions: results.get(`${window} ${name}`) ?? [],
        });
    } else {
      const title = `${paths.length} sessions, window ${window.toLocaleString("en")}`;
      io.out(`${title}\n${table(lines)}\n\n`);
    }
  }
  if (options.json) io.out(`${JSON.stringify(sums)}\n`);
  else {
    io.out(legend);
    for (const name of options.policies) io.out(`${name}: ${policies[name].source}\n`);
  }
}

/** In the order in which they would be sent, summaries included. */
async function emit(paths: readonly string[], options: Options, io: ReplayIo): Promise<void> {
  for (const path of paths) {
    const recording = await readRecording(path, io.readForeign);
    for (const window of options.windows) {
      const settings = settingsOf(options, window, io);
      for (const name of options.policies) {
        const policy = policies[name];
        const watch: Watch = (sent) => {
          const { call, nowMs } = sent;
          const request = apiRequestOf(sent, settings.rules, policy.marks);
          const place = { session: recording.name, window, policy: name, call, nowMs };
          io.out(`${JSON.stringify({ ...place, request })}\n`);
        };
        simulate(recording, [], policy, settings, watch);
      }
    }
  }
}

function settingsOf(options: Options, window: number, io: ReplayIo) {
  const { model, charsPerToken, overheadTokens, ttl } = options;
  if (model !== null && !io.rulesOf)
    throw new RecordingError(`--model ${model}: the catalogue of models is not at hand here.`);
  const known = model === null ? usualRules : (io.rulesOf?.(model) ?? usualRules);
  const perToken = { prose: charsPerToken, code: charsPerToken, result: charsPerToken };
  const rules: ModelRules = { ...known, windowTokens: window, charsPerToken: perToken };
  return { rules, overheadTokens, charsPerToken, ttl };
}

/** The prices that most of today's models of the middle size have. */
const usualRules: ModelRules = {
  model: "recorded",
  windowTokens: 200_000,
  outputTokens: 64_000,
  prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 },
  thinking: "bound",
  caches: true,
  cacheMinimumTokens: 1_024,
  compacts: false,
  countsTokens: false,
  charsPerToken: { prose: 3.2, code: 3.2, result: 3.2 },
};
