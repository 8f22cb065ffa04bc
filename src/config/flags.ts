import { parseArgs } from "node:util";
import { closest } from "./closest.ts";
import { tokensIn, type Found } from "./environment.ts";
import { UsageError } from "./usage-error.ts";

export { UsageError } from "./usage-error.ts";

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

/** Throws `UsageError`. */
export function parseFlags(args: readonly string[]): Flags {
  const first = subcommands.find((name) => name === args[0]);
  if (first) return { ...nothing, command: { name: first, args: args.slice(1) } };
  const { rest, id } = takeSession(args);
  const { values, positionals } = parse(rest);
  const format = outputFormats.find((name) => name === (values["output-format"] ?? "text"));
  if (!format) {
    throw new UsageError(
      `--output-format ${values["output-format"]}: must be one of ${outputFormats.join(", ")}.`,
    );
  }
  if (values.continue && values.resume) {
    throw new UsageError("--continue and --resume exclude each other; give one of them.");
  }
  if (values.offline && values.provider !== undefined && values.provider !== "offline") {
    throw new UsageError(`--offline and --provider ${values.provider} exclude each other.`);
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
    verbose: values.verbose ?? false,
    settings: settingsIn(values),
  };
}

function settingsIn(values: ReturnType<typeof parse>["values"]): Found[] {
  const set = (source: string, name: string, value: unknown, text?: string): Found[] =>
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
    ...set("--add-dir", "addDirs", values["add-dir"]),
  ];
}

/**
 * Takes the name out of `--resume NAME`. Only a word right behind the flag can be one, and only one
 * that looks like it: the names of sessions have a digit and no space, so that a prompt behind
 * `--resume` stays a prompt.
 */
function takeSession(args: readonly string[]): { rest: string[]; id: string | null } {
  const end = args.indexOf("--");
  const at = args.findIndex((arg) => /^(-r|--resume)(=.*)?$/.test(arg));
  if (at === -1 || (end !== -1 && at > end)) return { rest: [...args], id: null };
  const [flag = "", ...value] = (args[at] ?? "").split("=");
  const given = value.join("=");
  const next = args[at + 1] ?? "";
  const taken = given === "" && /^(?=.*\d)\w[\w.-]*$/.test(next);
  const id = given || (taken ? next : null);
  return { rest: [...args.slice(0, at), flag, ...args.slice(at + (taken ? 2 : 1))], id };
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
