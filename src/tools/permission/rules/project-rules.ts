/** Rules in files of the opened folder. Its author may be a stranger: they only narrow. */

import { join } from "node:path";
import { z } from "zod";
import { parseJsonc } from "../../../protocol/guards.ts";
import { textOfRegular } from "../../../disk/regular-file.ts";
import type { RuleTexts } from "./rules.ts";

const files = [
  ".mini-claude/settings.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
];

const maxBytes = 256 * 1024;

const list = z.array(z.string()).catch([]);
const schema = z.object({ permissions: z.object({ ask: list, deny: list }) });

type Narrowing = Pick<RuleTexts, "ask" | "deny">;

export const noRules: RuleTexts = { allow: [], ask: [], deny: [] };

/** What asks and denies; what the project would allow is ignored. */
export async function projectRules(root: string): Promise<Narrowing> {
  const found = await Promise.all(files.map((file) => rulesIn(join(root, file))));
  return { ask: found.flatMap(({ ask }) => ask), deny: found.flatMap(({ deny }) => deny) };
}

async function rulesIn(file: string): Promise<Narrowing> {
  const text = await textOfRegular(file, maxBytes);
  return schema.safeParse(parseJsonc(text ?? "")).data?.permissions ?? noRules;
}

export const narrowedRules = (rules: RuleTexts, { ask, deny }: Narrowing): RuleTexts => ({
  allow: rules.allow,
  ask: [...rules.ask, ...ask],
  deny: [...rules.deny, ...deny],
});
