/** Runs policies over recorded sessions without sending anything: `bun test/lab/replay.ts --help`. */

import { basename } from "node:path";
import type { SubcommandIo } from "../../src/config/subcommands.ts";
import { UsageError } from "../../src/config/usage-error.ts";
import { InvalidRequest } from "../../src/context/rules/valid.ts";
import { buildRequest } from "../../src/context/request.ts";
import { ProgressLine } from "../../src/app/progress-line.ts";
import { lookUpRules } from "../../src/model/catalog.ts";
import type { ModelRequest } from "../../src/protocol/model.ts";
import { chart } from "./chart.ts";
import { findDependencies } from "./dependencies.ts";
import { buildApiRequest } from "./emit.ts";
import { none } from "./lesson-policies.ts";
import { findRecordings, readRecording } from "./load.ts";
import { help, readOptions, type Options } from "./options.ts";
import { policies, type PolicyName } from "./policies.ts";
import type { Settings } from "./policy.ts";
import { RecordingError, type Recording } from "./recording.ts";
import { sumResults, type ReplayResult } from "./replay-result.ts";
import { simulate } from "./simulate.ts";
import { legend, table } from "./table.ts";

type ReplayIo = Pick<SubcommandIo, "out" | "err" | "progress">;

/** Results of each policy at one size of the window, in the same order of sessions. */
type WindowResults = {
  tokens: number;
  policies: { name: PolicyName; results: ReplayResult[] }[];
};

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
      assertReplayable(recording, makeSettings(options, Number.MAX_SAFE_INTEGER));
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
  const tables = options.windows.map((tokens): WindowResults => {
    return { tokens, policies: options.policies.map((name) => ({ name, results: [] })) };
  });
  let count = 0;
  for await (const recording of recordings(paths, options, io)) {
    count++;
    const needs = findDependencies(recording);
    for (const { tokens, policies: rows } of tables) {
      for (const { name, results } of rows) {
        const result = simulate(recording, needs, policies[name], makeSettings(options, tokens));
        results.push(result);
        if (options.chart) io.out(`${chart(result, name, tokens)}\n`);
      }
    }
  }
  if (count === 0) return 0;
  if (options.json) io.out(`${JSON.stringify(tables.flatMap(asJson))}\n`);
  else {
    for (const { tokens, policies: rows } of tables) {
      const sums = rows.map(({ name, results }) => ({ ...sumResults(results), policy: name }));
      io.out(`${count} sessions, window ${tokens.toLocaleString("en")}\n${table(sums)}\n\n`);
    }
    io.out(legend);
    for (const name of options.policies) io.out(`${name}: ${policies[name].source}\n`);
  }
  return count;
}

const asJson = ({ tokens: window, policies: rows }: WindowResults): object[] =>
  rows.map(({ name: policy, results }) => {
    const sessions = results.map(({ session, ...numbers }) => ({ session, policy, ...numbers }));
    return { window, policy, source: policies[policy].source, sessions };
  });

/** Prints every request, including those for summaries, in the order of sending. */
async function emit(paths: readonly string[], options: Options, io: ReplayIo): Promise<number> {
  let count = 0;
  for await (const recording of recordings(paths, options, io)) {
    count++;
    for (const window of options.windows) {
      const settings = makeSettings(options, window);
      for (const policy of options.policies) {
        let last: ModelRequest | null = null;
        simulate(recording, [], policies[policy], settings, (sent) => {
          const { call, nowMs } = sent;
          const request: ModelRequest =
            sent.refresh && last
              ? { ...last, maxTokens: 0 }
              : buildApiRequest(sent, settings.rules, policies[policy].marks);
          if (!sent.refresh && sent.summary === null) last = request;
          const line = { session: recording.name, window, policy, call, nowMs, request };
          io.out(`${JSON.stringify(line)}\n`);
        });
      }
    }
  }
  return count;
}

function makeSettings(options: Options, window: number): Settings {
  const { model, charsPerToken: ratio, overheadTokens, ttl } = options;
  const known = lookUpRules(model);
  const charsPerToken =
    ratio === null ? known.charsPerToken : { prose: ratio, code: ratio, result: ratio };
  return { rules: { ...known, windowTokens: window, charsPerToken }, overheadTokens, ttl };
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  const line = new ProgressLine(process.stderr);
  try {
    if (args.includes("--help")) process.stdout.write(help);
    else
      process.exitCode = await run(args, {
        out: (text) => void process.stdout.write(text),
        err: (text) => void process.stderr.write(text),
        progress: line.show,
      });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  } finally {
    line.clear();
  }
}
