/** Rules as users write them: `Bash(git diff:*)`, `Edit(src/**)`, `Read(~/.ssh/**)`, `mcp__server`. */

import { join } from "node:path";
import { namedHost, withoutPort } from "../../tools/web/address.ts";

export type Rule = {
  /** As written. */
  text: string;
  tool: string;
  /** The text in parentheses; null: every use of the tool. */
  about: string | null;
};

/** Tool families: a rule for the first also covers the others. */
const families: ReadonlyMap<string, readonly string[]> = new Map([
  ["Edit", ["Write"]],
  ["Read", ["Glob", "Grep"]],
]);

/** Names of these tools in other agents; rules may use either. */
const otherNames: ReadonlyMap<string, string> = new Map([["Task", "Agent"]]);

export const readTool = "Read";

export const fetchTool = "WebFetch";

const form = /^([A-Za-z_][\w-]*)(?:\(([\s\S]*)\))?$/;

/** Null when it is not a rule. */
export function parseRule(text: string): Rule | null {
  // `mcp__server__*` is another way to write `mcp__server`.
  const plain = text.trim().replace(/^(mcp__(?:(?!__).)+)__\*$/, "$1");
  const [, name, about] = form.exec(plain) ?? [];
  if (name === undefined || about === "") return null;
  const tool = otherNames.get(name) ?? name;
  const isAll = about === undefined || /^(?:domain:\s*)?\*$/.test(about);
  return { text, tool, about: isAll ? null : about };
}

/** `mcp__server` covers all tools of the server; `Edit` all that write, `Read` all that read files. */
export function coversTool(rule: Rule, tool: string): boolean {
  if (rule.tool === tool || families.get(rule.tool)?.includes(tool)) return true;
  return /^mcp__[^_](?:(?!__).)*$/.test(rule.tool) && tool.startsWith(`${rule.tool}__`);
}

/** `command`: one command, its words joined by single spaces, or a whole line. */
export function coversCommand(rule: Rule, command: string): boolean {
  if (rule.about === null) return true;
  const prefix = /^([\s\S]*):\*$/.exec(rule.about)?.[1];
  if (prefix !== undefined) return command === prefix || command.startsWith(`${prefix} `);
  const parts = rule.about.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[\\s\\S]*")}$`).test(command);
}

/**
 * `WebFetch(domain:example.com)` covers the domain and what is below it. A host of the local network has a port;
 * `isExact`: the rule has to name it, because another one is another server.
 */
export function coversHost(rule: Rule, host: string, isExact = false): boolean {
  if (rule.about === null) return true;
  const [, name = ""] = /^domain:\s*(?:\*\.)?(\S+)$/.exec(rule.about) ?? [];
  const domain = namedHost(name);
  if (domain === null) return false;
  const bare = withoutPort(host);
  if (bare !== host) {
    const [, port] = /:(\d+)$/.exec(host) ?? [];
    const [, named] = /^(?:\[[^\]]*\]|[^:]*):(\d+)$/.exec(name) ?? [];
    return bare === domain && (named === port || (named === undefined && !isExact));
  }
  return host === domain || host.endsWith(`.${domain}`);
}

/** Absolute folders that the paths of a rule count from. */
export type Bases = { workspace: string; home: string };

/**
 * Whether the rule covers a path, asked for one after another. `//path` is absolute, `~/path` in the
 * home, anything else in the workspace.
 */
export function pathsOfRule(rule: Rule, bases: Bases): (path: string) => boolean {
  if (rule.about === null) return () => true;
  const pattern = absolutePattern(rule.about, bases);
  const folder = pattern.endsWith("/**") ? pattern.slice(0, -3) : null;
  const itself = new Bun.Glob(pattern);
  const below = folder === null ? new Bun.Glob(`${pattern}/**`) : itself;
  return (path) => itself.match(path) || below.match(path) || path === folder;
}

/** A rule about paths, with the folder that they count from; any other rule as it is. */
export function ruleInFull(text: string, bases: Bases): string {
  const rule = parseRule(text);
  if (!rule || rule.about === null || !/^(?:Read|Glob|Grep|Edit|Write)$/.test(rule.tool))
    return text;
  return `${rule.tool}(/${absolutePattern(rule.about, bases)})`;
}

function absolutePattern(about: string, { workspace, home }: Bases): string {
  if (about.startsWith("//")) return about.slice(1);
  if (about === "~" || about.startsWith("~/")) return join(escapeGlob(home), about.slice(1));
  const root = escapeGlob(workspace);
  const inner = about.replace(/^(?:\.\/|\/)/, "");
  // A bare name counts in every folder.
  return inner === about && !inner.includes("/") ? `${root}/**/${inner}` : `${root}/${inner}`;
}

const escapeGlob = (path: string): string => path.replace(/[*?[\]{}!\\]/g, "\\$&");
