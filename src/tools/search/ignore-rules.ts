/** The rules of .gitignore files, checked for every file that a search comes across. */

import { join } from "node:path";
import type { Ignore } from "ignore";
import { textOfRegular } from "../../base/regular-file.ts";

/** The rules of one .gitignore, relative to its folder. */
export type IgnoreRules = {
  folder: string;
  ignore: Ignore;
  /** False if no rule can match: far cheaper than testing them all. */
  mayMatch(name: string, way: string): boolean;
};

/** A larger .gitignore is ignored. */
const maxRulesBytes = 1024 * 1024;

/** Null without a .gitignore. */
export async function readRules(folder: string): Promise<IgnoreRules | null> {
  const text = await textOfRegular(join(folder, ".gitignore"), maxRulesBytes);
  if (text === null) return null;
  const { default: ignore } = await import("ignore");
  return { folder, ignore: ignore({ ignoreCase: false }).add(text), mayMatch: prefilter(text) };
}

/** True: ignored. False: a rule says that it is not. Null: no rule applies. */
export function isIgnoredBy(
  { ignore, mayMatch }: IgnoreRules,
  name: string,
  way: string,
  isFolder: boolean,
): boolean | null {
  if (!mayMatch(name, way)) return null;
  const { ignored, unignored } = ignore.test(isFolder ? `${way}/` : way);
  return ignored || unignored ? ignored : null;
}

/**
 * A path that a rule matches contains the longest literal part of the rule: in its name or, if that
 * is all wildcards, in the folders above it. Folders that are ignored are not entered.
 */
function prefilter(text: string): IgnoreRules["mayMatch"] {
  const inName = new Set<string>();
  const onWay = new Set<string>();
  for (const line of text.split("\n")) {
    const rule = line.trim().replace(/\/+$/, "");
    if (rule === "" || line.startsWith("#")) continue;
    const name = longestLiteral(rule.slice(rule.lastIndexOf("/") + 1));
    if (name === "") onWay.add(longestLiteral(rule));
    else inName.add(name);
  }
  const names = matchAny(inName);
  const ways = matchAny(onWay);
  return (name, way) => names?.test(name) === true || ways?.test(way) === true;
}

/** The longest part that can only be literal. */
function longestLiteral(pattern: string): string {
  const literals = pattern.replace(/\[.*/, "*").split(/[^\w.@~+-]+/);
  return literals.reduce(
    (longest, literal) => (literal.length > longest.length ? literal : longest),
    "",
  );
}

const matchAny = (literals: ReadonlySet<string>): RegExp | null =>
  literals.size === 0
    ? null
    : new RegExp([...literals].map((literal) => RegExp.escape(literal)).join("|"));
