import { parseArgs } from "node:util";
import { closest } from "./closest.ts";
import type { Found } from "./environment.ts";

export const outputFormats = ["text", "json", "stream-json"] as const;

export type OutputFormat = (typeof outputFormats)[number];

export type Flags = {
  /** Words after the flags: the first prompt. */
  prompt: string;
  print: boolean;
  format: OutputFormat;
  resume: { kind: "new" } | { kind: "latest" } | { kind: "pick" } | { kind: "session"; id: string };
  help: boolean;
  version: boolean;
  verbose: boolean;
  /** Settings that flags set. */
  settings: Found[];
  /** `sessions`, `import` or `replay`, and what follows it. */
  command?: { name: Subcommand; args: string[] };
};

export const subcommands = ["sessions", "import", "replay"] as const;

export type Subcommand = (typeof subcommands)[number];

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
  verbose: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

/** A command line that cannot be meant: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Throws `UsageError`. */
export function parseFlags(args: readonly string[]): Flags {
  const first = subcommands.find((name) => name === args[0]);
  if (first) return { ...nothing, command: { name: first, args: args.slice(1) } };
  const { values, positionals } = parse(args);
  const format = outputFormats.find((name) => name === (values["output-format"] ?? "text"));
  if (!format) {
    throw new UsageError(
      `--output-format ${values["output-format"]}: must be one of ${outputFormats.join(", ")}.`,
    );
  }
  const [id, ...words] = positionals;
  const named = values.resume && id !== undefined && !id.includes(" ");
  const set = (name: string, value: unknown, flag: string): Found[] =>
    value === undefined ? [] : [{ path: [name], value, source: flag }];
  return {
    prompt: (named ? words : positionals).join(" "),
    print: values.print ?? false,
    format,
    resume: named
      ? { kind: "session", id }
      : values.resume
        ? { kind: "pick" }
        : values.continue
          ? { kind: "latest" }
          : { kind: "new" },
    help: values.help ?? false,
    version: values.version ?? false,
    verbose: values.verbose ?? false,
    settings: [
      ...set("model", values.model, "--model"),
      ...set(
        "provider",
        values.offline ? "offline" : values.provider,
        values.offline ? "--offline" : "--provider",
      ),
      ...set("baseUrl", values["base-url"], "--base-url"),
      ...set(
        "windowTokens",
        values.window === undefined ? undefined : Number(values.window),
        "--window",
      ),
      ...set("permissionMode", values["permission-mode"], "--permission-mode"),
      ...set("addDirs", values["add-dir"], "--add-dir"),
    ],
  };
}

const nothing: Flags = {
  prompt: "",
  print: false,
  format: "text",
  resume: { kind: "new" },
  help: false,
  version: false,
  verbose: false,
  settings: [],
};

function parse(args: readonly string[]) {
  for (const arg of args) {
    if (arg === "--") break;
    const name = /^--([^=]+)/.exec(arg)?.[1];
    if (name === undefined || name in options) continue;
    const near = closest(name, Object.keys(options));
    throw new UsageError(
      `There is no flag --${name}${near ? `; did you mean --${near}?` : "."} See mini-claude --help.`,
    );
  }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new UsageError(`${message} See mini-claude --help.`);
  }
}
