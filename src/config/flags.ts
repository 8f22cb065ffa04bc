import { parseArgs } from "node:util";
import { closest } from "./closest.ts";
import { tokensIn, type RawSettings } from "./environment.ts";
import { UsageError } from "./usage-error.ts";

export { UsageError } from "./usage-error.ts";

const outputFormats = ["text", "json", "stream-json"] as const;

type OutputFormat = (typeof outputFormats)[number];

export type Flags = {
  /** The arguments that are not flags: the first prompt. */
  prompt: string;
  print: boolean;
  format: OutputFormat;
  resume: { kind: "new" } | { kind: "latest" } | { kind: "pick" } | { kind: "session"; id: string };
  help: boolean;
  version: boolean;
  /** Write a debug log. */
  debug: boolean;
  /** Print stack traces. */
  verbose: boolean;
  /** Trust the folder's files for this run. */
  trust: boolean;
  /** Settings from flags. */
  settings: RawSettings[];
  /** The subcommand, and the arguments after it. */
  command?: { name: Subcommand; args: string[] };
};

const subcommands = ["sessions", "import", "replay", "doctor", "trust"] as const;

type Subcommand = (typeof subcommands)[number];

const options = {
  print: { type: "boolean", short: "p" },
  "output-format": { type: "string" },
  continue: { type: "boolean", short: "c" },
  resume: { type: "boolean", short: "r" },
  model: { type: "string" },
  provider: { type: "string" },
  "base-url": { type: "string" },
  offline: { type: "boolean" },
  window: { type: "string" },
  "permission-mode": { type: "string" },
  "add-dir": { type: "string", multiple: true },
  "screen-reader": { type: "boolean" },
  debug: { type: "boolean" },
  trust: { type: "boolean" },
  verbose: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

/** Throws `UsageError`. */
export function parseFlags(args: readonly string[]): Flags {
  const first = subcommands.find((name) => name === args[0]);
  if (first) return { ...nothing, command: { name: first, args: args.slice(1) } };
  const { rest, id } = takeSession(args);
  const { values, positionals } = parse(rest);
  const format = outputFormats.find((name) => name === (values["output-format"] ?? "text"));
  if (!format) {
    throw new UsageError(
      `--output-format must be one of ${outputFormats.join(", ")}, not ${values["output-format"]}.`,
    );
  }
  if (values.continue && values.resume) {
    throw new UsageError("--continue and --resume cannot be combined.");
  }
  if (values.offline && values.provider !== undefined && values.provider !== "offline") {
    throw new UsageError(`--offline and --provider ${values.provider} cannot be combined.`);
  }
  return {
    prompt: positionals.join(" "),
    print: values.print ?? false,
    format,
    resume:
      id !== null
        ? { kind: "session", id }
        : values.resume
          ? { kind: "pick" }
          : values.continue
            ? { kind: "latest" }
            : { kind: "new" },
    help: values.help ?? false,
    version: values.version ?? false,
    debug: values.debug ?? false,
    verbose: values.verbose ?? false,
    trust: values.trust ?? false,
    settings: settingsIn(values),
  };
}

function settingsIn(values: ReturnType<typeof parse>["values"]): RawSettings[] {
  const set = (source: string, name: string, value: unknown, text?: string): RawSettings[] =>
    value === undefined ? [] : [{ path: [name], value, source, ...(text ? { text } : {}) }];
  const { window } = values;
  return [
    ...set("--model", "model", values.model),
    ...(values.offline
      ? set("--offline", "provider", "offline")
      : set("--provider", "provider", values.provider)),
    ...set("--base-url", "baseUrl", values["base-url"]),
    ...set("--window", "windowTokens", window === undefined ? window : tokensIn(window), window),
    ...set("--permission-mode", "permissionMode", values["permission-mode"]),
    ...set("--screen-reader", "screenReader", values["screen-reader"]),
    ...set("--add-dir", "addDirs", values["add-dir"]),
  ];
}

const resumeFlag = /^(-r|--resume)(=.*)?$/s;

/**
 * Extracts the optional name of `--resume NAME`. Session names contain a digit and no space, so a
 * prompt after `--resume` is still a prompt.
 */
function takeSession(args: readonly string[]): { rest: string[]; id: string | null } {
  const end = args.indexOf("--");
  const at = args.findIndex((arg) => resumeFlag.test(arg));
  if (at === -1 || (end !== -1 && at > end)) return { rest: [...args], id: null };
  const [flag = "", ...value] = (args[at] ?? "").split("=");
  const given = value.join("=");
  const next = args[at + 1] ?? "";
  const taken = given === "" && /^(?=.*\d)\w[\w.-]*$/.test(next);
  const id = given || (taken ? next : null);
  if (args.slice(at + 1, end === -1 ? undefined : end).some((arg) => resumeFlag.test(arg))) {
    throw new UsageError("--resume was given twice.");
  }
  return { rest: [...args.slice(0, at), flag, ...args.slice(at + (taken ? 2 : 1))], id };
}

const nothing: Flags = {
  prompt: "",
  print: false,
  format: "text",
  resume: { kind: "new" },
  help: false,
  version: false,
  debug: false,
  verbose: false,
  trust: false,
  settings: [],
};

const hint = "See mini-claude --help.";

function parse(args: readonly string[]) {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === "option") check(token.name, token.rawName, token.value, token.inlineValue);
  }
  return parseArgs({ args: [...args], options, allowPositionals: true });
}

/** Clearer messages for what `parseArgs` would refuse. */
function check(name: string, raw: string, value: string | undefined, isInline?: boolean): void {
  const option = Object.entries(options).find(([known]) => known === name)?.[1];
  if (!option) {
    const near = raw.startsWith("--") ? closest(name, Object.keys(options)) : undefined;
    throw new UsageError(`Unknown flag ${raw}${near ? `; did you mean --${near}?` : "."} ${hint}`);
  }
  if (option.type === "boolean") {
    if (value !== undefined) throw new UsageError(`${raw} takes no value. ${hint}`);
    return;
  }
  if (value === undefined || value === "") throw new UsageError(`${raw} needs a value. ${hint}`);
  if (!isInline && value.startsWith("-")) {
    throw new UsageError(
      `${raw} needs a value, but ${value} looks like a flag; if you mean it, write ${raw}=${value}.`,
    );
  }
}
