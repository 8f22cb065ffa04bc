/** The rules of .gitignore files, asked for every file that a search passes. */

import { join } from "node:path";
import type { Ignore } from "ignore";
import { readRegular } from "../regular-file.ts";

/** The rules of one .gitignore, relative to its folder. */
export type IgnoreRules = {
  folder: string;
  ignore: Ignore;
  /** False where no rule can match: far cheaper than to ask them all. */
  mayMatch(name: string, way: string): boolean;
};

/** A larger .gitignore is ignored. */
const rulesBytesAtMost = 1024 * 1024;

/** Null without a .gitignore. */
export async function rulesOf(folder: string): Promise<IgnoreRules | null> {
  const text = await readRegular(join(folder, ".gitignore"), rulesBytesAtMost);
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
 * What a rule matches holds the longest part of it that stands for itself: in its name or, if all of
 * that is wildcards, on the way to it. Folders that are ignored are not entered.
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
  const names = anyOf(inName);
  const ways = anyOf(onWay);
  return (name, way) => names?.test(name) === true || ways?.test(way) === true;
}

/** Of what surely has no meaning but itself. */
function longestLiteral(pattern: string): string {
  const literals = pattern.replace(/\[.*/, "*").split(/[^\w.@~+-]+/);
  return literals.reduce((longest, one) => (one.length > longest.length ? one : longest), "");
}

const anyOf = (literals: ReadonlySet<string>): RegExp | null =>
  literals.size === 0 ? null : new RegExp([...literals].map((one) => RegExp.escape(one)).join("|"));
