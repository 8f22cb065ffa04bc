/** Permission rules in the user's settings file. */

import { readFileSync } from "node:fs";
import { z } from "zod";
import { attempt } from "../protocol/attempt.ts";
import { parseJsonc } from "../protocol/guards.ts";
import { saveSetting } from "./save-setting.ts";
import type { Settings } from "./schema.ts";

const rulePattern = /^\s*(?:[A-Za-z_][\w-]*(?:\([\s\S]+\))?|mcp__[\w-]+__\*)\s*$/;

/** Rules that do not have the form `Tool` or `Tool(specifier)`. */
export const malformedRules = (lists: Settings["permissions"]): string[] =>
  [...lists.allow, ...lists.ask, ...lists.deny].filter((rule) => !rulePattern.test(rule));

const fileSchema = z.object({
  permissions: z.looseObject({ allow: z.array(z.string()).default([]) }).optional(),
});

/** Adds a rule to those that allow. Throws with a sentence when the file cannot be changed. */
export function saveAllowRule(file: string, rule: string): void {
  const { permissions = { allow: [] } } = fileSchema
    .catch({})
    .parse(attempt(() => parseJsonc(readFileSync(file, "utf8")), {}));
  if (permissions.allow.includes(rule)) return;
  saveSetting(file, "permissions.allow", [...permissions.allow, rule]);
}
