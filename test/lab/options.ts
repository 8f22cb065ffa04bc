/** The options of the replay. */

import { parseOptions } from "../../src/config/subcommands.ts";
import { parseChoice, UsageError } from "../../src/config/usage-error.ts";
import { policyNames } from "./policies.ts";

export type Options = ReturnType<typeof readOptions>;

export const help = `Usage: bun test/lab/replay.ts FILE|DIR... [options]
What each policy would have cost, cut and lost on recorded sessions. Sends nothing.
  --policy NAME[,NAME]     ${policyNames.join(", ")}
  --window TOKENS[,TOKENS] 60000,200000,1000000
  --model NAME             whose prices and rules apply (claude-sonnet-5-5)
  --ttl 5m|1h              how long the prompt cache lives
  --overhead TOKENS        system prompt and tools, if a recording lacks them (15000)
  --chars-per-token N      default: the model's own, by kind of text
  --half train|test        every second recording
  --json                   the numbers of every session
  --chart                  the size of the context over time, and the cuts
  --emit requests          every request body as a JSON line
`;

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;

/** Throws `UsageError` for an unknown option or value. */
export function readOptions(args: readonly string[]) {
  const { values, positionals } = parseOptions(args, {
    policy: text,
    window: { ...text, default: "60000,200000,1000000" },
    model: { ...text, default: "claude-sonnet-5-5" },
    ttl: text,
    overhead: { ...text, default: "15000" },
    "chars-per-token": text,
    emit: text,
    half: text,
    json: flag,
    chart: flag,
  });
  if (positionals.length === 0) throw new UsageError(`replay needs files or folders:\n${help}`);
  const { policy, window, ttl, overhead, emit, half, "chars-per-token": ratio, ...others } = values;
  return {
    ...others,
    places: positionals,
    policies:
      policy?.split(",").map((name) => parseChoice("--policy", policyNames, name)) ?? policyNames,
    windows: window.split(",").map((one) => number("--window", one, 1_000)),
    ttl: ttl === undefined ? null : parseChoice("--ttl", ["5m", "1h"], ttl),
    overheadTokens: number("--overhead", overhead, 0),
    /** For all text; null: the model's own, by kind. */
    charsPerToken: ratio === undefined ? null : number("--chars-per-token", ratio, 0.5),
    /** Write every request body instead of the table. */
    emit: emit !== undefined && parseChoice("--emit", ["requests"], emit) === emit,
    /** Every second recording from the first ("train") or the second ("test") on. */
    half: half === undefined ? null : parseChoice("--half", ["train", "test"], half),
  };
}

function number(name: string, value: string, least: number): number {
  const count = Number(value.replaceAll("_", ""));
  if (Number.isFinite(count) && count >= least) return count;
  throw new UsageError(`${name} ${value}: must be a number of at least ${least}.`);
}
