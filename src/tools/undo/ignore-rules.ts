/** The rules of .gitignore files. */

import { join } from "node:path";
import type { Ignore } from "ignore";
import { textOfRegular } from "../../base/regular-file.ts";

/** The rules of one .gitignore, relative to its folder. */
export type IgnoreRules = { folder: string; ignore: Ignore };

/** A larger .gitignore is ignored. */
const maxRulesBytes = 1024 * 1024;

/** Null without a .gitignore. */
export async function readRules(folder: string): Promise<IgnoreRules | null> {
  const text = await textOfRegular(join(folder, ".gitignore"), maxRulesBytes);
  if (text === null) return null;
  const { default: ignore } = await import("ignore");
  return { folder, ignore: ignore({ ignoreCase: false }).add(text) };
}

/** Whether the folder at a path below that of the rules is ignored; null: no rule applies. */
export function isIgnoredBy({ ignore }: IgnoreRules, way: string): boolean | null {
  const { ignored, unignored } = ignore.test(`${way}/`);
  return ignored || unignored ? ignored : null;
}
