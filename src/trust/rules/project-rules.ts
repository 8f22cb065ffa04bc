/** Rules in files of the opened folder. Its author may be a stranger: they only narrow. */

import { join } from "node:path";
import { z } from "zod";
import { parseJsonc } from "../../base/guards.ts";
import { textOfRegular } from "../../base/regular-file.ts";
import { foldersBetween, holds } from "../../tools/workspace.ts";
import { ruleInFull, type Bases } from "./rule.ts";
import type { RuleTexts } from "./rules.ts";

/** Settings files of a project, weakest last. */
export const projectSettings = [
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".mini-claude/settings.json",
];

const maxBytes = 256 * 1024;

const list = z.array(z.string()).catch([]);
const schema = z.object({ permissions: z.object({ ask: list, deny: list }) });

export const noRules: RuleTexts = { allow: [], ask: [], deny: [] };

/**
 * The rules, and those of the project that ask and deny; what the project would allow is ignored. `outer`: the
 * folder of the repository, which the workspace may lie in.
 */
export async function withProjectRules(
  rules: RuleTexts,
  { workspace, home }: Bases,
  outer = workspace,
): Promise<RuleTexts> {
  const folders = holds(outer, workspace) ? foldersBetween(outer, workspace) : [workspace];
  const found = await Promise.all(
    folders.flatMap((folder) =>
      projectSettings.map(async (name) => {
        const { ask, deny } = await readProjectRules(join(folder, name));
        // Paths count from the folder of the file.
        const counted = (text: string): string =>
          folder === workspace ? text : ruleInFull(text, { workspace: folder, home });
        return { ask: ask.map(counted), deny: deny.map(counted) };
      }),
    ),
  );
  return {
    allow: rules.allow,
    ask: [rules, ...found].flatMap(({ ask }) => ask),
    deny: [rules, ...found].flatMap(({ deny }) => deny),
  };
}

async function readProjectRules(file: string): Promise<Pick<RuleTexts, "ask" | "deny">> {
  const text = await textOfRegular(file, maxBytes);
  return schema.safeParse(parseJsonc(text ?? "")).data?.permissions ?? noRules;
}
