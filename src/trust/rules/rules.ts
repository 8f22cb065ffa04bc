/** The user's permission rules: from settings, the project, and this session. */

import { holds } from "../../tools/workspace.ts";
import { listed } from "../../base/format.ts";
import { fetchTool } from "./rule.ts";
import {
  coversCommand,
  coversHost,
  coversTool,
  parseRule,
  pathsOfRule,
  type Bases,
  type Rule,
} from "./rule.ts";

/** Lists of rules as settings hold them. */
export type RuleTexts = {
  allow: readonly string[];
  ask: readonly string[];
  deny: readonly string[];
};

/** A rule that "yes for this session" adds. */
export type SessionRule =
  | { kind: "folder"; does: "read" | "write"; folder: string }
  /** `beyond`: access that the model requested in addition to the needs of the line, as text. */
  | { kind: "line"; line: string; beyond: string | null }
  | { kind: "host"; host: string }
  /** Commands of these programs. `outside`: where they leave the sandbox. `hosts`: for every confined command. */
  | { kind: "programs"; names: readonly string[]; outside: boolean; hosts: readonly string[] }
  | { kind: "tool"; tool: string };

type RuleList = "deny" | "ask" | "allow";

/** Deny outranks ask, ask outranks allow. */
const byRank: readonly RuleList[] = ["deny", "ask", "allow"];

const parsed = (texts: readonly string[]): Rule[] =>
  texts.map(parseRule).filter((rule) => rule !== null);

export class Rules {
  readonly #settings: Readonly<Record<RuleList, readonly Rule[]>>;
  /** Rules of the settings and of the turn. */
  readonly #rules: Record<RuleList, readonly Rule[]>;
  readonly #bases: Bases;
  readonly #session: SessionRule[];
  /** The rule that the latest "deny" is due to, as written. */
  deniedBy = "";

  /**
   * Texts that are not rules are left out. `session`: what the user has allowed so far; more is added
   * to it.
   */
  constructor(texts: RuleTexts, bases: Bases, session: SessionRule[] = []) {
    this.#session = session;
    this.#settings = {
      allow: parsed(texts.allow),
      ask: parsed(texts.ask),
      deny: parsed(texts.deny),
    };
    this.#rules = { ...this.#settings };
    this.#bases = bases;
  }

  /** Rules that allow until the turn ends. */
  allowForTurn(texts: readonly string[]): void {
    this.#rules.allow = [...this.#settings.allow, ...parsed(texts)];
  }

  add(rule: SessionRule): void {
    this.#session.push(rule);
  }

  /** The rule for a tool that neither reads, writes nor runs commands. */
  forTool(tool: string): RuleList | null {
    const granted = this.grants("tool", (rule) => rule.tool === tool);
    return this.#strictest((rule) => coversTool(rule, tool)) ?? (granted ? "allow" : null);
  }

  forPath(does: "read" | "write", tool: string, path: string): RuleList | null {
    const covers = (rule: Rule) => coversTool(rule, tool) && pathsOfRule(rule, this.#bases)(path);
    const granted = this.grants("folder", (rule) => rule.does === does && holds(rule.folder, path));
    return this.#strictest(covers) ?? (granted ? "allow" : null);
  }

  /** Tests whether a rule denies a path or asks about it; null where no rule does so for any path. */
  refusedPaths(tool: string): ((path: string) => boolean) | null {
    // A rule without a path is about the tool, not about files.
    const rules = [...this.#rules.deny, ...this.#rules.ask].filter(
      (rule) => coversTool(rule, tool) && rule.about !== null,
    );
    const covers = rules.map((rule) => pathsOfRule(rule, this.#bases));
    return covers.length === 0 ? null : (path) => covers.some((coversPath) => coversPath(path));
  }

  forHost(tool: string, host: string): RuleList | null {
    const granted = this.grants("host", (rule) => rule.host === host);
    const covers = (rule: Rule) => coversTool(rule, tool) && coversHost(rule, host);
    return this.#strictest(covers) ?? (granted ? "allow" : null);
  }

  /** Deny and ask: if any of the texts is covered. */
  forbids(tool: string, texts: readonly string[]): Exclude<RuleList, "allow"> | null {
    const covers = (rule: Rule) =>
      coversTool(rule, tool) && texts.some((text) => coversCommand(rule, text));
    if (this.#isDenied(covers)) return "deny";
    return this.#rules.ask.some(covers) ? "ask" : null;
  }

  /** Whether any use of the tool is denied or asked about. */
  restricts(tool: string): boolean {
    return [...this.#rules.deny, ...this.#rules.ask].some((rule) => coversTool(rule, tool));
  }

  /**
   * Whether a rule allows the command. "named": in particular, not as one of all. "exact": the rule is this line.
   * "all": the rule is for every command, and says nothing of what leaves the sandbox.
   */
  allowsCommand(
    tool: string,
    command: string,
    how: "named" | "exact" | "all" | "any" = "any",
    lists: readonly RuleList[] = ["allow"],
  ): boolean {
    const covers = (rule: Rule): boolean =>
      how === "exact"
        ? rule.about === command
        : coversCommand(rule, command) &&
          (how === "any" || (rule.about === null) === (how === "all"));
    return lists
      .flatMap((list) => this.#rules[list])
      .some((rule) => coversTool(rule, tool) && covers(rule));
  }

  /** Whether a rule that allows says this host in particular. */
  namesHost(tool: string, host: string): boolean {
    return this.#rules.allow.some(
      (rule) => coversTool(rule, tool) && rule.about !== null && coversHost(rule, host, true),
    );
  }

  /** Whether commands may connect to it. A rule for all pages says nothing about commands. */
  forConnection(host: string): RuleList | null {
    const covers = (rule: Rule) => rule.tool === fetchTool && coversHost(rule, host);
    const word = this.#strictest(covers);
    return word === "allow" && !this.#hostRules().some(covers) ? null : word;
  }

  /** A rule allows connections to at least one host. */
  get allowsConnections(): boolean {
    return this.#hostRules().length > 0;
  }

  #hostRules(): Rule[] {
    return this.#rules.allow.filter((rule) => rule.tool === fetchTool && rule.about !== null);
  }

  /** Whether a yes for the session, of this kind, covers something. */
  grants<K extends SessionRule["kind"]>(
    kind: K,
    covers: (rule: Extract<SessionRule, { kind: K }>) => boolean,
  ): boolean {
    return this.#session.some((rule) => isOfKind(rule, kind) && covers(rule));
  }

  #strictest(covers: (rule: Rule) => boolean): RuleList | null {
    if (this.#isDenied(covers)) return "deny";
    return byRank.find((word) => this.#rules[word].some(covers)) ?? null;
  }

  #isDenied(covers: (rule: Rule) => boolean): boolean {
    const rule = this.#rules.deny.find(covers);
    if (rule) this.deniedBy = rule.text;
    return rule !== undefined;
  }
}

const isOfKind = <K extends SessionRule["kind"]>(
  rule: SessionRule,
  kind: K,
): rule is Extract<SessionRule, { kind: K }> => rule.kind === kind;

export function sessionRuleInWords(rule: SessionRule, show: (path: string) => string): string {
  switch (rule.kind) {
    case "folder": {
      const shown = show(rule.folder);
      const where = shown === "." ? "the workspace" : shown;
      return `${rule.does === "read" ? "reading" : "editing"} files in ${where}`;
    }
    case "line":
      return rule.beyond === null ? "exactly this command" : `exactly this command, ${rule.beyond}`;
    case "host":
      return `pages of ${rule.host}`;
    case "programs":
      return [
        ...(rule.names.length > 0
          ? [`every ${quoted(rule.names)}${rule.outside ? " outside the sandbox" : ""}`]
          : []),
        ...(rule.hosts.length > 0 ? [`commands that reach ${listed(rule.hosts)}`] : []),
      ].join(", and ");
    case "tool":
      return `every use of ${rule.tool}`;
    default:
      return rule satisfies never;
  }
}

const quoted = (names: readonly string[]): string => listed(names.map((name) => `“${name}”`));

/** A line that is longer is not shown as a whole, so it is not saved as a rule. */
const maxLineChars = 160;

/** The narrowest rules for settings that cover the same; none where they cannot be written. */
export function settingsRules(rule: SessionRule, tool: string): string[] {
  switch (rule.kind) {
    case "folder":
      // The settings are those of all projects: the rule names the folder in full.
      return /[*?[\]{}!\\()]/.test(rule.folder)
        ? []
        : [`${rule.does === "read" ? "Read" : "Edit"}(/${rule.folder}/**)`];
    case "line":
      return rule.beyond !== null || /[*\n]/.test(rule.line) || rule.line.length > maxLineChars
        ? []
        : [`${tool}(${rule.line})`];
    case "tool":
      return [rule.tool];
    case "host":
      return [`${tool}(domain:${rule.host})`];
    case "programs":
      return rule.names.some((name) => /[^\w .:+@-]/.test(name))
        ? []
        : [
            ...rule.names.map((name) => `${tool}(${name}:*)`),
            ...rule.hosts.map((host) => `${fetchTool}(domain:${host})`),
          ];
    default:
      return rule satisfies never;
  }
}
