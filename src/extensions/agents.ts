/** Subagents that the user and the project define, one Markdown file each. */

import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import type { SubagentDefinition } from "../protocol/subagent-definition.ts";
import { listField, readFrontMatter } from "./markdown-file.ts";
import { projectFile, readStart, type TrustedProject } from "../trust/project/project.ts";

const fieldsSchema = z.object({
  name: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .catch(undefined),
  description: z.string().max(2_000),
  model: z.string().min(1).max(200).optional().catch(undefined),
});

const maxFileBytes = 40_000;
const maxFiles = 100;

/** Folders with definitions, in a project and in a home. */
export const agentFolders = [".claude/agents", ".mini-claude/agents"] as const;

/**
 * A definition replaces an earlier one of the same name: the project's come after the user's.
 * `own`: folders of the user. `project` is null when its files are not trusted.
 */
export async function findSubagents(
  own: readonly string[],
  project: TrustedProject | null,
): Promise<SubagentDefinition[]> {
  const found = new Map<string, SubagentDefinition>();
  const add = async (folder: string, accepts: (path: string) => boolean): Promise<void> => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".md"));
    for (const name of names.toSorted().slice(0, maxFiles)) {
      const start = await readStart(join(folder, name), maxFileBytes, accepts);
      const definition = start && parseDefinition(start.text, basename(name, ".md"));
      if (definition) found.set(definition.name, definition);
    }
  };
  for (const folder of own) await add(folder, () => true);
  if (project)
    for (const name of agentFolders) await add(join(project.root, name), projectFile(project));
  return [...found.values()];
}

function parseDefinition(text: string, fileName: string): SubagentDefinition | null {
  const { fields, body } = readFrontMatter(text);
  const parsed = fieldsSchema.safeParse(fields);
  if (!parsed.success || !/^[\w-]{1,64}$/.test(fileName) || body === "") return null;
  const { name = fileName, description, model } = parsed.data;
  return {
    name,
    description,
    prompt: body,
    tools: listField(fields["tools"]),
    model: model === undefined || model === "inherit" ? null : model,
    readsOnly: false,
  };
}
