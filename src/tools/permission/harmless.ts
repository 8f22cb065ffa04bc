/** Commands that only look. What is not in these tables is not known to be harmless. */

import type { SimpleCommand } from "./command-line.ts";

type Rule = {
  /** Options that make it write, run something, or look elsewhere. */
  not?: RegExp;
  /** What the first argument must be. */
  first?: RegExp;
  /** Its arguments are no paths. */
  plainWords?: true;
  argsAtMost?: number;
};

const any: Rule = {};
const words: Rule = { plainWords: true };

const rules = new Map<string, Rule>([
  ["ls", any],
  ["cat", any],
  ["head", any],
  ["tail", { not: /^(?:-\w*[fF]|--follow|--retry|--pid)/ }],
  ["wc", { not: /^--files0-from/ }],
  ["nl", any],
  ["cut", any],
  ["tac", any],
  ["rev", any],
  ["cmp", any],
  ["diff", { not: /^(?:-\w*[lr]|--(?!brief|color|unified))/ }],
  ["stat", any],
  ["file", { not: /^(?:-\w*[Cfm]|--(?!brief|mime))/ }],
  ["du", { not: /^--(?:files0-from|exclude-from)/ }],
  ["basename", words],
  ["dirname", words],
  ["realpath", any],
  ["readlink", any],
  ["md5sum", any],
  ["sha1sum", any],
  ["sha256sum", any],
  ["pwd", words],
  ["echo", words],
  ["exit", words],
  ["true", words],
  ["false", words],
  ["whoami", words],
  ["id", words],
  ["uname", words],
  ["nproc", words],
  ["which", words],
  ["type", words],
  ["df", any],
  ["date", { plainWords: true, not: /^(?:-\w*[sfr]|--(?!utc|iso|rfc))/, argsAtMost: 2 }],
  ["seq", words],
  ["printf", { plainWords: true, not: /^-v/ }],
  ["uniq", { argsAtMost: 1 }],
  ["sort", { not: /^(?:-\w*[oTS]|--(?!reverse|numeric|unique|human))/ }],
  ["tr", words],
  ["column", any],
  ["jq", { not: /^(?:-\w*[fL]|--from-file|--slurpfile|--rawfile)/ }],
  ["grep", { not: /^(?:-\w*[rRfd]|--(?:r(?!egexp)|d|f|exclude-f))/ }],
  ["egrep", { not: /^(?:-\w*[rRfd]|--(?:r(?!egexp)|d|f|exclude-f))/ }],
  ["fgrep", { not: /^(?:-\w*[rRfd]|--(?:r(?!egexp)|d|f|exclude-f))/ }],
  [
    "rg",
    {
      not: /^(?:-\w*[.uLfz]|--(?:hidden|unres|no-ignore|pre|follow|file|search-zip|hostname-bin|ignore-file))/,
    },
  ],
  ["find", { not: /^-(?:exec|ok|delete|fprint|fls|files0|follow|L|H)/ }],
  ["tree", { not: /^(?:-\w*[oR]|--(?:output|fromfile|gitfile))/ }],
  ["cd", { argsAtMost: 1, not: /^-/ }],
]);

/** The beginnings suffice: git takes every clear abbreviation of an option. */
const gitNot = /^(?:-O|--(?:ou|ext|textc|no-i|op|cont|up|exec|exclude-f))/;

const gitRules = new Map<string, Rule>([
  ["status", any],
  ["log", any],
  ["diff", any],
  ["show", any],
  ["blame", any],
  ["ls-files", any],
  ["ls-tree", any],
  ["rev-parse", any],
  ["describe", any],
  ["shortlog", any],
  ["rev-list", any],
  ["branch", { first: /^(?:-a|-r|-v|-vv|--all|--list|--show-current|--remotes)$/, argsAtMost: 1 }],
  ["tag", { first: /^(?:-l|--list)$/ }],
  ["remote", { first: /^-v$/, argsAtMost: 1 }],
  ["stash", { first: /^list$/, argsAtMost: 1 }],
]);

/** It only reads, as long as `paths` of it may be read. Null: not known to be harmless. */
export function pathsOfHarmless(command: SimpleCommand): string[] | null {
  if (command.writes.length > 0) return null;
  const [name, ...args] = command.words;
  if (!name || name.glob || name.tilde) return null;
  if (name.text === "git")
    return gitPaths(
      args.map((word) => word.text),
      command,
    );
  const rule = rules.get(name.text);
  return rule ? pathsUnder(rule, command, 1) : null;
}

function gitPaths(args: string[], command: SimpleCommand): string[] | null {
  const start = args[0] === "--no-pager" ? 1 : 0;
  const rule = gitRules.get(args[start] ?? "");
  if (!rule || args.slice(start).some((arg) => gitNot.test(arg))) return null;
  const bare = args.length === start + 1;
  if (rule.first && bare && args[start] === "tag") return [];
  if (rule.first && bare && args[start] !== "branch" && args[start] !== "remote") return null;
  return pathsUnder(bare ? any : rule, command, start + 2);
}

function pathsUnder(rule: Rule, command: SimpleCommand, skip: number): string[] | null {
  const args = command.words.slice(skip);
  const plain = args.filter(({ text }) => !text.startsWith("-"));
  if (rule.argsAtMost !== undefined && args.length > rule.argsAtMost) return null;
  if (rule.not && args.some(({ text }) => rule.not?.test(text))) return null;
  if (rule.first && !rule.first.test(args[0]?.text ?? "")) return null;
  if (rule.plainWords) return args.some((word) => word.glob || word.tilde) ? null : [];
  const paths: string[] = [];
  for (const { text, glob, tilde } of args) {
    // What a pattern stands for is known only to the shell: secrets, or links that lead outside.
    if (glob || tilde) return null;
    paths.push(...pathsIn(text));
  }
  return plain.length === 0 ? [] : paths;
}

/** Each way in which a program may find a path in its argument. */
function pathsIn(text: string): string[] {
  if (!text.startsWith("-")) return [text, ...afterColon(text)];
  const value = /^--?[\w-]*=(.*)$/s.exec(text)?.[1] ?? /^-\w(.*[/.~].*)$/s.exec(text)?.[1];
  return value === undefined ? [] : [value];
}

/** `HEAD:path` of git. */
function afterColon(text: string): string[] {
  const at = text.indexOf(":");
  return at === -1 ? [] : [text.slice(at + 1)];
}
