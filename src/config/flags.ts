/** The command line, read. */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { messageOf } from "../base/in-words.ts";
import { didYouMean } from "./closest.ts";
import type { RawSettings } from "./environment.ts";
import {
  canonicalArgs,
  type FlagValues,
  mayBeEmpty,
  options,
  withoutEffect,
} from "./flag-options.ts";
import { headlessFlags } from "./headless-flags.ts";
import { tokensIn } from "./schema.ts";
import { sessionFlags, takeSession } from "./session-flags.ts";
import { subcommands, type Subcommand } from "./subcommands.ts";
import { UsageError } from "./usage-error.ts";

export { UsageError } from "./usage-error.ts";

export type Flags = ReturnType<typeof ownFlags> & {
  /** The subcommand, and the arguments after it. */
  command?: { name: Subcommand; args: string[] };
};

/** Throws `UsageError`. */
export function parseFlags(args: readonly string[]): Flags {
  const first = subcommands.find((name) => name === args[0]);
  if (first && !isPrompt(first, args))
    return { ...ownFlags([]), command: { name: first, args: args.slice(1) } };
  return ownFlags(args);
}

/** A prompt may begin with the word. */
function isPrompt(command: Subcommand, args: readonly string[]): boolean {
  if (command === "help") return args.length > 2;
  return command === "auth" && !/^(status|--help|-h|)$/.test(args[1] ?? "");
}

function ownFlags(args: readonly string[]) {
  const { rest, id } = takeSession(canonicalArgs(args));
  const { values, positionals } = parse(rest);
  if (values.offline && values.provider !== undefined && values.provider !== "offline") {
    throw new UsageError(`--offline and --provider ${values.provider} cannot be combined.`);
  }
  const tools = toolFlags(values);
  const debugFile = values["debug-file"];
  return {
    /** The arguments that are not flags: the first prompt. */
    prompt: positionals.join(" ").trim(),
    print: values.print ?? false,
    session: sessionFlags(values, id),
    headless: headlessFlags(values),
    tools,
    /** `system` replaces the built-in system prompt, `append` comes after it. */
    prompts: {
      system: promptOf("system-prompt", values),
      append: promptOf("append-system-prompt", values),
    },
    /** Subagents, as JSON: their definitions by name. */
    agents: values.agents,
    /** Further settings: JSON, or the file that holds them. */
    extraSettings: values.settings,
    /** Whose settings, instructions and commands are used. */
    sources: sourcesIn(values["setting-sources"]),
    /** Files with MCP servers, or JSON; `strict`: no servers but those. */
    mcp: { configs: values["mcp-config"] ?? [], strict: values["strict-mcp-config"] ?? false },
    /** Tried when the model is overloaded. */
    fallbackModel: values["fallback-model"],
    help: values.help ?? false,
    version: values.version ?? false,
    /** Write a debug log. */
    debug: values.debug ?? debugFile !== undefined,
    debugFile,
    /** Print stack traces. */
    verbose: values.verbose ?? false,
    /** Work in the git worktree of this name. */
    worktree: values.worktree,
    /** Trust the folder's files for this run. */
    trust: values.trust ?? false,
    /** Settings from flags. */
    settings: settingsIn(values, tools),
    /** Flags that were given and change nothing. */
    ignored: Object.keys(withoutEffect).filter((name) => Object.hasOwn(values, name)),
  };
}

function toolFlags(values: FlagValues) {
  const only = values.tools?.flatMap(rulesIn);
  return {
    /** Rules such as `Bash(git diff:*)`. */
    allow: (values.allowedTools ?? []).flatMap(rulesIn),
    deny: (values.disallowedTools ?? []).flatMap(rulesIn),
    /** The only tools that are offered; undefined: all. */
    only: only?.includes("default") ? undefined : only,
  };
}

/** Splits at commas and spaces outside of parentheses. */
const rulesIn = (text: string): string[] =>
  text.match(/[^\s,(]+(?:\((?:[^()]|\([^()]*\))*\))?/g) ?? [];

function promptOf(
  name: "system-prompt" | "append-system-prompt",
  values: FlagValues,
): string | undefined {
  const file = values[`${name}-file`];
  if (file === undefined) return values[name];
  if (values[name] !== undefined)
    throw new UsageError(`--${name} and --${name}-file cannot be combined.`);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`--${name}-file: ${messageOf(error)}`);
  }
}

export const settingSources = ["user", "project", "local"] as const;

export type SettingSource = (typeof settingSources)[number];

/** An empty list means none. */
function sourcesIn(given: string | undefined): readonly SettingSource[] {
  const names = given?.split(",").filter((name) => name !== "") ?? settingSources;
  return names.map((name) => {
    const source = settingSources.find((known) => known === name);
    if (source) return source;
    throw new UsageError(
      `--setting-sources must list ${settingSources.join(", ")}, not ${JSON.stringify(name)}.`,
    );
  });
}

function settingsIn(values: FlagValues, tools: ReturnType<typeof toolFlags>): RawSettings[] {
  const set = (source: string, name: string, value: unknown, text?: string): RawSettings[] =>
    value === undefined ? [] : [{ path: [name], value, source, text }];
  const rules = (source: string, list: string, value: string[]): RawSettings[] =>
    value.length === 0 ? [] : [{ path: ["permissions", list], value, source }];
  const { window } = values;
  return [
    ...set("--model", "model", values.model),
    ...(values.offline
      ? set("--offline", "provider", "offline")
      : set("--provider", "provider", values.provider)),
    ...set("--base-url", "baseUrl", values["base-url"]),
    ...set("--window", "windowTokens", window === undefined ? window : tokensIn(window), window),
    ...(values["dangerously-skip-permissions"]
      ? set("--dangerously-skip-permissions", "permissionMode", "bypass")
      : set("--permission-mode", "permissionMode", values["permission-mode"])),
    ...set("--effort", "effort", values.effort),
    ...set("--screen-reader", "screenReader", values["screen-reader"]),
    ...set("--add-dir", "addDirs", values["add-dir"]),
    ...rules("--allowedTools", "allow", tools.allow),
    ...rules("--disallowedTools", "deny", tools.deny),
  ];
}

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
    const known = raw.startsWith("--") ? Object.keys(options) : [];
    const meant = didYouMean(name, known, ".", (near) => `--${near}`);
    throw new UsageError(`Unknown flag ${raw}${meant} ${hint}`);
  }
  if (option.type === "boolean") {
    if (value !== undefined) throw new UsageError(`${raw} takes no value. ${hint}`);
    return;
  }
  if (value === "" && mayBeEmpty.includes(name)) return;
  if (value === undefined || value === "") throw new UsageError(`${raw} needs a value. ${hint}`);
  if (!isInline && /^-\S*$/.test(value)) {
    throw new UsageError(
      `${raw} needs a value, but ${value} looks like a flag; if you mean it, write ${raw}=${value}.`,
    );
  }
}
