/** The subcommands and flags that exist, what --help says of them, and other ways to write them. */

export const subcommands = [
  "sessions",
  "import",
  "doctor",
  "trust",
  "acp",
  "mcp",
  "auth",
  "update",
  "help",
] as const;

export type Subcommand = (typeof subcommands)[number];

const text = <const T extends string>(usage: T, help: string) =>
  ({ type: "string", usage, help }) as const;
const list = (usage: string, help: string) =>
  ({ type: "string", multiple: true, usage, help }) as const;
const on = (help: string) => ({ type: "boolean", help }) as const;

const ignoredText = { type: "string" } as const;
const ignoredList = { type: "string", multiple: true } as const;
const ignored = { type: "boolean" } as const;

/** Flags of Claude Code that change nothing here. They are accepted, so that its clients can start. */
export const withoutEffect = {
  agent: ignoredText,
  "allow-dangerously-skip-permissions": ignored,
  "await-initialize": ignored,
  betas: ignoredList,
  channels: ignoredList,
  "debug-to-stderr": ignored,
  "disable-slash-commands": ignored,
  "hard-fail": ignored,
  "include-hook-events": ignored,
  "initialize-fields": ignoredText,
  "max-thinking-tokens": ignoredText,
  "permission-prompts": ignoredText,
  "plugin-dir": ignoredList,
  "plugin-dir-no-mcp": ignoredList,
  "project-config-root": ignoredText,
  "resume-drops-turn": ignoredText,
  "session-mirror": ignored,
  "task-budget": ignoredText,
  thinking: ignoredText,
  "thinking-display": ignoredText,
} as const;

export const options = {
  continue: { ...on("resume the latest session of this folder"), short: "c" },
  resume: {
    ...on("resume a session by a unique prefix of its ID; without one, list them"),
    usage: "[ID]",
    short: "r",
  },
  print: { ...on("print the answer and exit"), short: "p" },
  "output-format": text(
    "FORMAT",
    "text, json, stream-json (as Claude Code), events (the agent's own)",
  ),
  "input-format": text(
    "stream-json",
    "read messages and control requests, one JSON object per line",
  ),
  "include-partial-messages": on("print the answer as it arrives (stream-json)"),
  "replay-user-messages": on("print accepted messages (stream-json)"),
  "json-schema": text("SCHEMA", "answer with an object of this JSON schema"),
  "max-turns": text("N", "stop after N model calls"),
  "max-budget-usd": text("USD", "stop a run with -p when this much is spent"),
  "max-usd": text("USD", "ask before the session costs more (-p: stop)"),
  "permission-prompt-tool": text("T", "who approves: stdio (the client) or an MCP tool"),
  "no-session-persistence": on("do not save the session (with -p)"),
  agents: text("JSON", 'subagents for this run: {"name": {"description", "prompt", "tools"}}'),
  "session-id": text("UUID", "ID of the new session"),
  "fork-session": on("with --resume or --continue: continue in a copy"),
  "resume-session-at": ignoredText,
  model: { ...text("NAME", "claude-sonnet-5-5 by default; also sonnet, opus, haiku"), short: "m" },
  "fallback-model": text("NAME", "used while the model is overloaded"),
  effort: text("LEVEL", "low, medium, high, xhigh, max: reasoning effort"),
  offline: on("the built-in model: no key, no network"),
  provider: text("NAME", "anthropic, bedrock, vertex, openai, openrouter, …, offline"),
  "base-url": text("URL", "a server that speaks the Messages API or OpenAI's"),
  window: text("TOKENS", "context window size, if it cannot be detected or to use less"),
  "permission-mode": text("MODE", "default, accept-edits, auto, plan, bypass, dont-ask"),
  "dangerously-skip-permissions": on("the same as --permission-mode bypass"),
  allowedTools: list("RULES", 'allow without approval: Read "Bash(git log:*)"'),
  disallowedTools: list("RULES", "deny in every mode"),
  tools: list("NAMES", 'the only tools offered; "" for none'),
  "system-prompt": text("TEXT", "replaces the built-in one"),
  "system-prompt-file": text("FILE", "the same from a file"),
  "append-system-prompt": text("TEXT", "added to the built-in one"),
  "append-system-prompt-file": text("FILE", "the same from a file"),
  settings: text("FILE|JSON", "additional settings"),
  "setting-sources": text("LIST", "whose files are read: user, project, local"),
  worktree: {
    ...text("NAME", "work in a git worktree of that name, created if needed"),
    short: "w",
  },
  trust: on("trust this folder's files for this run"),
  "add-dir": list("FOLDER", "let the tools use this folder too (repeatable)"),
  "mcp-config": list("FILE|JSON", "MCP servers for this run (repeatable)"),
  "strict-mcp-config": on("no other MCP servers"),
  "screen-reader": on("plain text, for screen-reader users"),
  debug: on("write a debug log (or MINI_CLAUDE_DEBUG=1)"),
  "debug-file": text("FILE", "write the debug log to this file"),
  verbose: on("print stack traces"),
  help: { ...on("print this"), short: "h" },
  version: { ...on("print the version"), short: "v" },
  ...withoutEffect,
} as const;

/** The values of the flags on a command line, by name. */
export type FlagValues = {
  [Name in keyof typeof options]?: FlagValue<(typeof options)[Name]> | undefined;
};

type FlagValue<Flag> = Flag extends { type: "boolean" }
  ? boolean
  : Flag extends { multiple: true }
    ? string[]
    : string;

/** Flags that may be given an empty value, which means none. */
export const mayBeEmpty: readonly string[] = ["tools", "setting-sources", "append-system-prompt"];

const otherNames: Record<string, string> = {
  "--allowed-tools": "--allowedTools",
  "--disallowed-tools": "--disallowedTools",
};

const takesTools = new Set(["--allowedTools", "--disallowedTools", "--tools"]);

const tool =
  /^(?:mcp__[\w*-]+|(?:Agent|Bash|BashOutput|Edit|Glob|Grep|KillShell|MultiEdit|NotebookEdit|Read|Remember|Skill|Task|TodoWrite|WebFetch|WebSearch|Write)(?:\(.*\))?)$/s;

/** Other names of flags replaced, and `--tools Read Edit` written as `--tools=Read,Edit`. */
export function canonicalArgs(args: readonly string[]): string[] {
  const canonical: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return [...canonical, ...args.slice(at)];
    const [flag = "", ...value] = arg.split("=");
    const name = otherNames[flag] ?? flag;
    if (!takesTools.has(name) || value.length > 0 || at + 1 === args.length) {
      canonical.push([name, ...value].join("="));
      continue;
    }
    const tools = [args[++at] ?? ""];
    while (tool.test(args[at + 1] ?? "")) tools.push(args[++at] ?? "");
    canonical.push(`${name}=${tools.join(",")}`);
  }
  return canonical;
}

type ShownFlag = { type: string; help?: string; short?: string; usage?: string };

/** One line for each flag that is meant for people. */
const flagLines = (): string[] =>
  Object.entries<ShownFlag>(options).flatMap(([name, { help, short, usage = "" }]) => {
    if (help === undefined) return [];
    const flag = `${short ? `-${short}, ` : "    "}--${name} ${usage}`;
    return `  ${flag.padEnd(32)} ${help}`;
  });

/** The text of `mini-claude --help`. */
export const helpText = `mini-claude: a coding agent for the terminal whose context you can see, steer, scroll and undo.

  mini-claude [flags] [prompt]     work in this folder
  mini-claude -p "prompt"          print the answer and exit; the prompt may come from standard input
  mini-claude sessions ...         list, search, show, export or prune sessions; see what runs now
  mini-claude import FILE|DIR      import sessions of Claude Code and Codex
  mini-claude doctor               check what works on this machine
  mini-claude auth status          the model's provider and the source of its key; --json
  mini-claude update               install the latest version; --check only looks for it
  mini-claude acp                  serve an editor over the Agent Client Protocol
  mini-claude trust [FOLDER]       trust the files of a folder; --list, --remove
  mini-claude help TOPIC           the manual: start, screen, context, cost, permissions, sessions, settings,
                                   headless, editors, mcp, hooks, commands, conventions, measured,
                                   troubleshooting, uninstall
  mini-claude mcp ...              add, list, get, remove, approve and log in to MCP servers

${flagLines().join("\n")}

Exit codes: 0 done, 1 failed, 2 usage error; 129, 130 or 143 ended by SIGHUP, SIGINT or SIGTERM.
`;
