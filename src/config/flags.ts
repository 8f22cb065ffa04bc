/** The command line, read. */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { parseJson } from "../base/guards.ts";
import { errorMessage } from "../base/format.ts";
import { didYouMean } from "./complaint.ts";
import {
  canonicalArgs,
  type FlagValues,
  mayBeEmpty,
  options,
  subcommands,
  type Subcommand,
  withoutEffect,
} from "./help.ts";
import { parseTokens, type RawSettings } from "./schema.ts";
import { parseOptions } from "./subcommands.ts";
import { parseChoice, UsageError } from "./usage-error.ts";

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
      system: readPrompt("system-prompt", values),
      append: readPrompt("append-system-prompt", values),
    },
    /** Subagents, as JSON: their definitions by name. */
    agents: values.agents,
    /** Further settings: JSON, or the file that holds them. */
    extraSettings: values.settings,
    /** Whose settings, instructions and commands are used. */
    sources: readSources(values["setting-sources"]),
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
    settings: settingsFrom(values, tools),
    /** Flags that were given and change nothing. */
    ignored: Object.keys(withoutEffect).filter((name) => Object.hasOwn(values, name)),
  };
}

function toolFlags(values: FlagValues) {
  const only = values.tools?.flatMap(splitRules);
  return {
    /** Rules such as `Bash(git diff:*)`. */
    allow: (values.allowedTools ?? []).flatMap(splitRules),
    deny: (values.disallowedTools ?? []).flatMap(splitRules),
    /** The only tools that are offered; undefined: all. */
    only: only?.includes("default") ? undefined : only,
  };
}

/** Splits at commas and spaces outside of parentheses. */
const splitRules = (text: string): string[] =>
  text.match(/[^\s,(]+(?:\((?:[^()]|\([^()]*\))*\))?/g) ?? [];

function readPrompt(
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
    throw new UsageError(`--${name}-file: ${errorMessage(error)}`);
  }
}

export const settingSources = ["user", "project", "local"] as const;

export type SettingSource = (typeof settingSources)[number];

/** An empty list means none. */
function readSources(given: string | undefined): readonly SettingSource[] {
  const names = given?.split(",").filter((name) => name !== "") ?? settingSources;
  return names.map((name) => {
    const source = settingSources.find((known) => known === name);
    if (source) return source;
    throw new UsageError(
      `--setting-sources must list ${settingSources.join(", ")}, not ${JSON.stringify(name)}.`,
    );
  });
}

function settingsFrom(values: FlagValues, tools: ReturnType<typeof toolFlags>): RawSettings[] {
  const set = (flag: string, path: string, value: unknown, text?: string): RawSettings[] =>
    value === undefined ? [] : [{ path: path.split("."), value, source: `--${flag}`, text }];
  const { window, "max-usd": usd } = values;
  const isBypass = values["dangerously-skip-permissions"];
  const rules = (list: string[]): string[] | undefined => (list.length === 0 ? undefined : list);
  return [
    ...set("model", "model", values.model),
    ...(values.offline
      ? set("offline", "provider", "offline")
      : set("provider", "provider", values.provider)),
    ...set("base-url", "baseUrl", values["base-url"]),
    ...set("window", "windowTokens", window && parseTokens(window), window),
    ...(isBypass
      ? set("dangerously-skip-permissions", "permissionMode", "bypass")
      : set("permission-mode", "permissionMode", values["permission-mode"])),
    ...set("effort", "effort", values.effort),
    ...set("max-usd", "budget.session", positive("--max-usd", usd)),
    ...set("screen-reader", "screenReader", values["screen-reader"]),
    ...set("add-dir", "addDirs", values["add-dir"]),
    ...set("allowedTools", "permissions.allow", rules(tools.allow)),
    ...set("disallowedTools", "permissions.deny", rules(tools.deny)),
  ];
}

const kinds: Readonly<Record<string, { readonly type: string }>> = options;

/** Throws `UsageError`. */
function parse(args: readonly string[]) {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    if (!Object.hasOwn(options, name)) {
      const known = rawName.startsWith("--") ? Object.keys(options) : [];
      const meant = didYouMean(name, known, ".", (near) => `--${near}`);
      throw new UsageError(`Unknown flag ${rawName}${meant} See --help.`);
    }
    if (kinds[name]?.type !== "string") continue;
    if (value === undefined || (value === "" && !mayBeEmpty.includes(name)))
      throw new UsageError(`${rawName} needs a value. See --help.`);
    if (!token.inlineValue && /^-\S*$/.test(value))
      throw new UsageError(
        `${rawName} needs a value, but ${value} looks like a flag; if you mean it, write ${rawName}=${value}.`,
      );
  }
  return parseOptions(args, options);
}

/** "events": the agent's own events. The others are printed as Claude Code prints them. */
const outputFormats = ["text", "json", "stream-json", "events"] as const;
const inputFormats = ["text", "stream-json"] as const;

export type HeadlessFlags = ReturnType<typeof headlessFlags>;

/** The API requires an object at the top. */
const jsonSchemaSchema = z.looseObject({ type: z.literal("object") });

/** Throws `UsageError`. */
function headlessFlags(values: FlagValues) {
  const output = parseChoice("--output-format", outputFormats, values["output-format"] ?? "text");
  const input = parseChoice("--input-format", inputFormats, values["input-format"] ?? "text");
  if (input === "stream-json" && output !== "stream-json")
    throw new UsageError("--input-format stream-json needs --output-format stream-json.");
  const schema = values["json-schema"];
  const maxTurns = positive("--max-turns", values["max-turns"]);
  if (maxTurns !== undefined && !Number.isInteger(maxTurns))
    throw new UsageError(`--max-turns must be a whole number, not ${maxTurns}.`);
  return {
    output,
    input,
    /** Print `stream_event` messages while an answer arrives. */
    partialMessages: values["include-partial-messages"] ?? false,
    /** Print the user's messages as they are accepted. */
    replayUserMessages: values["replay-user-messages"] ?? false,
    /** The answer must be an object of this JSON schema. */
    jsonSchema: schema === undefined ? undefined : parseSchema(schema),
    /** Calls of the model before the run ends. */
    maxTurns,
    maxBudgetUsd: positive("--max-budget-usd", values["max-budget-usd"]),
    /** Who is asked for approval: "stdio" is the client, else the name of an MCP tool. */
    permissionPromptTool: values["permission-prompt-tool"],
  };
}

function positive(flag: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`${flag} must be a number above 0, not ${given}.`);
}

/** Throws `UsageError`. */
function parseSchema(text: string): Record<string, unknown> {
  const { data } = jsonSchemaSchema.safeParse(parseJson(text));
  if (data) return data;
  throw new UsageError('--json-schema must be a JSON schema with "type": "object".');
}

export type SessionFlags = {
  resume: { kind: "new" } | { kind: "latest" } | { kind: "pick" } | { kind: "session"; id: string };
  /** Continue in a copy of the session. */
  fork: boolean;
  /** Set: nothing of the session is kept. */
  isTemporary?: boolean | undefined;
  /** Name of the new session; a UUID. */
  sessionId?: string | undefined;
  /** Continue from this message, by the UUID that was printed with it. */
  resumeAt?: string | undefined;
};

/** A session of this folder by its name, or a new one. */
export const sessionNamed = (id: string | null): SessionFlags => {
  return { resume: id === null ? { kind: "new" } : { kind: "session", id }, fork: false };
};

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `id`: the name that was given with `--resume`. Throws `UsageError`. */
function sessionFlags(values: FlagValues, id: string | null): SessionFlags {
  if (values.continue && values.resume)
    throw new UsageError("--continue and --resume cannot be combined.");
  const fork = values["fork-session"] ?? false;
  const resumes = values.continue || values.resume;
  if (fork && !resumes) throw new UsageError("--fork-session needs --resume or --continue.");
  const sessionId = values["session-id"];
  if (sessionId !== undefined && !uuid.test(sessionId))
    throw new UsageError(`--session-id must be a UUID, not ${sessionId}.`);
  if (sessionId !== undefined && resumes && !fork)
    throw new UsageError("--session-id names a new session; with --resume, add --fork-session.");
  return {
    resume: chooseResumed(values, id),
    fork,
    isTemporary: values["no-session-persistence"],
    sessionId: sessionId?.toLowerCase(),
    resumeAt: values["resume-session-at"],
  };
}

function chooseResumed(values: FlagValues, id: string | null): SessionFlags["resume"] {
  if (id !== null) return { kind: "session", id };
  if (values.resume) return { kind: "pick" };
  return { kind: values.continue ? "latest" : "new" };
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
