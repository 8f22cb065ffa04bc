/** `mini-claude replay`: runs policies over recorded sessions without sending anything. */

import { basename } from "node:path";
import type { SubcommandIo } from "../../config/subcommands.ts";
import { buildRequest, InvalidRequest } from "../../context/request.ts";
import { rulesOf } from "../../model/catalog.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import { chart } from "./chart.ts";
import { dependenciesOf } from "./dependencies.ts";
import { apiRequestOf } from "./emit.ts";
import { lessonFourTiers, lessonThreeLayers, lessonThreshold, none } from "./lesson-policies.ts";
import { findRecordings, readRecording } from "./load.ts";
import { readOptions, type Options, type PolicyName } from "./options.ts";
import type { ReplayPolicy, Settings, Watch } from "./policy.ts";
import { replayPage } from "./page.ts";
import { product } from "./product.ts";
import { RecordingError, type Recording } from "./recording.ts";
import { sumResults, type ReplayResult } from "./replay-result.ts";
import * as rivals from "./rival-policies.ts";
import { simulate } from "./simulate.ts";
import { legend, table } from "./table.ts";

export { help } from "./options.ts";

type ReplayIo = Pick<SubcommandIo, "out" | "err" | "progress">;

/** Returns the exit code. Throws `UsageError`. */
export async function run(args: readonly string[], io: ReplayIo): Promise<number> {
  const options = readOptions(args);
  const paths = (await Promise.all(options.places.map(findRecordings))).flat();
  const chosen = paths.filter((_, index) => isInHalf(index, options.half));
  const count = await (options.emit ? emit : report)(chosen, options, io);
  if (count === 0) throw new RecordingError("There is no recording that can be replayed.");
  return 0;
}

const isInHalf = (index: number, half: Options["half"]): boolean =>
  half === null || (index % 2 === 0) === (half === "train");

export const policies: Record<PolicyName, ReplayPolicy> = {
  none,
  thresholds: product("thresholds", { policy: "thresholds" }, "each tier at its threshold"),
  keep: product("keep", { balance: "keep" }, "ours, cost against memory: keep"),
  balanced: product("balanced", {}, "ours, cost against memory: balanced, the default"),
  save: product("save", { balance: "save" }, "ours, cost against memory: save"),
  "lesson-a": lessonThreeLayers,
  "lesson-b": lessonThreshold,
  "lesson-c": lessonFourTiers,
  "window-33k": rivals.windowLess33k,
  "window-33k-1h": rivals.windowLess33kHour,
  "at-100k": rivals.at100k,
  "at-130k": rivals.at130k,
  codex: rivals.codex,
  gemini: rivals.gemini,
  opencode: rivals.opencode,
};

/** Reads each recording that can be replayed; reports the others on the way. */
async function* recordings(
  paths: readonly string[],
  options: Options,
  io: ReplayIo,
): AsyncGenerator<Recording> {
  for (const [done, path] of paths.entries()) {
    io.progress?.(done, paths.length, basename(path));
    try {
      const recording = await readRecording(path);
      assertReplayable(recording, settingsOf(options, Number.MAX_SAFE_INTEGER));
      yield recording;
    } catch (error) {
      if (!(error instanceof RecordingError) && !(error instanceof InvalidRequest)) throw error;
      io.err(`Skipped ${path}: ${error.message}\n`);
    }
  }
}

/** Throws `InvalidRequest` if the API would refuse the recorded conversation as it is. */
function assertReplayable(recording: Recording, settings: Settings): void {
  simulate(recording, [], none, settings, ({ projection, numbers }) => {
    buildRequest(projection.view, settings.rules, numbers);
  });
}

/** Prints the tables. Returns the number of recordings. */
async function report(paths: readonly string[], options: Options, io: ReplayIo): Promise<number> {
  const results = new Map<string, ReplayResult[]>();
  let count = 0;
  for await (const recording of recordings(paths, options, io)) {
    count++;
    const needs = dependenciesOf(recording);
    for (const window of options.windows) {
      const settings = settingsOf(options, window);
      for (const name of options.policies) {
        const result = simulate(recording, needs, policies[name], settings);
        const key = `${window} ${name}`;
        results.set(key, [...(results.get(key) ?? []), result]);
        if (options.chart) io.out(`${chart(result, window)}\n`);
      }
    }
  }
  if (count === 0) return 0;
  const of = (window: number, name: PolicyName): ReplayResult[] =>
    results.get(`${window} ${name}`) ?? [];
  if (options.json) {
    const all = options.windows.flatMap((window) =>
      options.policies.map((name) => {
        const { source } = policies[name];
        return { window, policy: name, source, sessions: of(window, name) };
      }),
    );
    io.out(`${JSON.stringify(all)}\n`);
    return count;
  }
  if (options.html) {
    const page = options.windows.map((tokens) => ({
      tokens,
      policies: options.policies.map((name) => ({ name, results: of(tokens, name) })),
    }));
    io.out(replayPage(page));
    return count;
  }
  for (const window of options.windows) {
    const sums = options.policies.map((name) => ({
      ...sumResults(of(window, name)),
      policy: name,
    }));
    io.out(`${count} sessions, window ${window.toLocaleString("en")}\n${table(sums)}\n\n`);
  }
  io.out(legend);
  for (const name of options.policies) io.out(`${name}: ${policies[name].source}\n`);
  return count;
}

/** Prints every request, including those for summaries, in the order of sending. */
async function emit(paths: readonly string[], options: Options, io: ReplayIo): Promise<number> {
  let count = 0;
  for await (const recording of recordings(paths, options, io)) {
    count++;
    for (const window of options.windows) {
      const settings = settingsOf(options, window);
      for (const name of options.policies) {
        const policy = policies[name];
        let last: ModelRequest | null = null;
        const watch: Watch = (sent) => {
          const { call, nowMs } = sent;
          const request: ModelRequest =
            sent.refresh && last
              ? { ...last, maxTokens: 0 }
              : apiRequestOf(sent, settings.rules, policy.marks);
          if (!sent.refresh && sent.summary === null) last = request;
          const where = { session: recording.name, window, policy: name, call, nowMs };
          io.out(`${JSON.stringify({ ...where, request })}\n`);
        };
        simulate(recording, [], policy, settings, watch);
      }
    }
  }
  return count;
}

function settingsOf(options: Options, window: number): Settings {
  const { model, charsPerToken: ratio, overheadTokens, ttl } = options;
  const known = rulesOf(model);
  const charsPerToken =
    ratio === null ? known.charsPerToken : { prose: ratio, code: ratio, result: ratio };
  return { rules: { ...known, windowTokens: window, charsPerToken }, overheadTokens, ttl };
}
