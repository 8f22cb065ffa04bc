/** The command line of `mini-claude replay`. */

import { RecordingError } from "./recording.ts";
import type { CacheTtl } from "../../protocol/model.ts";

const policyNames = [
  "none",
  "thresholds",
  "keep",
  "balanced",
  "save",
  "lesson-a",
  "lesson-b",
  "lesson-c",
  "window-33k",
  "window-33k-1h",
  "at-100k",
  "at-130k",
  "codex",
  "gemini",
  "opencode",
] as const;

export type PolicyName = (typeof policyNames)[number];

export type Options = {
  places: string[];
  policies: readonly PolicyName[];
  windows: readonly number[];
  model: string;
  ttl: CacheTtl | null;
  overheadTokens: number;
  /** For all text; null: the model's own, by kind. */
  charsPerToken: number | null;
  json: boolean;
  chart: boolean;
  /** A page with the charts of all policies. */
  html: boolean;
  /** Write every request body instead of the table. */
  emit: boolean;
  /** Every second recording from the first ("train") or the second ("test") on. */
  half: "train" | "test" | null;
  help: boolean;
};

const defaults: Options = {
  places: [],
  policies: policyNames,
  windows: [60_000, 200_000, 1_000_000],
  model: "claude-sonnet-5-5",
  ttl: null,
  overheadTokens: 15_000,
  charsPerToken: null,
  json: false,
  chart: false,
  html: false,
  emit: false,
  half: null,
  help: false,
};

export const usageText = `Usage: mini-claude replay FILE|DIR... [options]
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
  --html                   a page: all policies side by side, with every cut and its reason
  --emit requests          every request body as a JSON line
`;

type Setter = (options: Options, value: string) => void;

const valued: Record<string, Setter> = {
  "--policy": (options, value) => {
    options.policies = value.split(",").map((name) => {
      const known = policyNames.find((one) => one === name);
      if (known) return known;
      throw new RecordingError(
        `--policy ${name}: no such policy. Choose from ${policyNames.join(", ")}.`,
      );
    });
  },
  "--window": (options, value) => {
    options.windows = value.split(",").map((one) => number("--window", one, 1_000));
  },
  "--model": (options, value) => {
    options.model = value;
  },
  "--ttl": (options, value) => {
    if (value !== "5m" && value !== "1h")
      throw new RecordingError(`--ttl ${value}: choose 5m or 1h.`);
    options.ttl = value;
  },
  "--overhead": (options, value) => {
    options.overheadTokens = number("--overhead", value, 0);
  },
  "--chars-per-token": (options, value) => {
    options.charsPerToken = number("--chars-per-token", value, 0.5);
  },
  "--half": (options, value) => {
    if (value !== "train" && value !== "test")
      throw new RecordingError(`--half ${value}: choose train or test.`);
    options.half = value;
  },
  "--emit": (options, value) => {
    if (value !== "requests") throw new RecordingError(`--emit ${value}: choose requests.`);
    options.emit = true;
  },
};

/** Throws `RecordingError` for an unknown option or value. */
export function readOptions(args: readonly string[]): Options {
  const options: Options = { ...defaults, places: [] };
  for (let at = 0; at < args.length; at++) {
    const [flag = "", ...rest] = (args[at] ?? "").split("=");
    const set = valued[flag];
    if (set) {
      const value = rest.length > 0 ? rest.join("=") : args[++at];
      if (value === undefined) throw new RecordingError(`${flag} needs a value.`);
      set(options, value);
    } else if (flag === "--json") options.json = true;
    else if (flag === "--chart") options.chart = true;
    else if (flag === "--html") options.html = true;
    else if (flag === "--help" || flag === "-h") options.help = true;
    else if (flag.startsWith("-"))
      throw new RecordingError(`${flag}: unknown option; see mini-claude replay --help.`);
    else options.places.push(args[at] ?? "");
  }
  return options;
}

function number(flag: string, value: string, least: number): number {
  const parsed = Number(value.replaceAll("_", ""));
  if (Number.isFinite(parsed) && parsed >= least) return parsed;
  throw new RecordingError(`${flag} ${value}: must be a number of at least ${least}.`);
}
