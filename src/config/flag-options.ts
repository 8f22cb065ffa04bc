/** The flags that exist, and what is done to a command line before they are read. */

import type { parseArgs } from "node:util";

const text = { type: "string" } as const;
const list = { type: "string", multiple: true } as const;
const on = { type: "boolean" } as const;

/** Flags of Claude Code that change nothing here. They are accepted, so that its clients can start. */
export const withoutEffect = {
  agent: text,
  "allow-dangerously-skip-permissions": on,
  "await-initialize": on,
  betas: list,
  channels: list,
  "debug-to-stderr": on,
  "disable-slash-commands": on,
  "hard-fail": on,
  "include-hook-events": on,
  "initialize-fields": text,
  "max-thinking-tokens": text,
  "permission-prompts": text,
  "plugin-dir": list,
  "plugin-dir-no-mcp": list,
  "project-config-root": text,
  "resume-drops-turn": text,
  "session-mirror": on,
  "task-budget": text,
  thinking: text,
  "thinking-display": text,
} as const;

export const options = {
  print: { ...on, short: "p" },
  "output-format": text,
  "input-format": text,
  "include-partial-messages": on,
  "replay-user-messages": on,
  "json-schema": text,
  "max-turns": text,
  "max-budget-usd": text,
  "permission-prompt-tool": text,
  continue: { ...on, short: "c" },
  resume: { ...on, short: "r" },
  "session-id": text,
  "fork-session": on,
  "resume-session-at": text,
  "no-session-persistence": on,
  agents: text,
  model: { ...text, short: "m" },
  "fallback-model": text,
  effort: text,
  provider: text,
  "base-url": text,
  offline: on,
  window: text,
  "permission-mode": text,
  "dangerously-skip-permissions": on,
  allowedTools: list,
  disallowedTools: list,
  tools: list,
  "add-dir": list,
  settings: text,
  "setting-sources": text,
  "system-prompt": text,
  "system-prompt-file": text,
  "append-system-prompt": text,
  "append-system-prompt-file": text,
  "mcp-config": list,
  "strict-mcp-config": on,
  "screen-reader": on,
  debug: on,
  "debug-file": text,
  worktree: { ...text, short: "w" },
  trust: on,
  verbose: on,
  help: { ...on, short: "h" },
  version: { ...on, short: "v" },
  ...withoutEffect,
} as const;

/** The values of the flags on a command line, by name. */
export type FlagValues = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

/** Flags that may be given an empty value, which means none. */
export const mayBeEmpty: readonly string[] = ["tools", "setting-sources", "append-system-prompt"];

const otherNames: Record<string, string> = {
  "--allowed-tools": "--allowedTools",
  "--disallowed-tools": "--disallowedTools",
};

const takesTools = new Set(["--allowedTools", "--disallowedTools", "--tools"]);

const tool =
  /^(?:mcp__[\w*-]+|(?:Agent|Bash|BashOutput|Edit|Glob|Grep|KillShell|MultiEdit|NotebookEdit|Read|Skill|Task|TodoWrite|WebFetch|WebSearch|Write)(?:\(.*\))?)$/s;

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
