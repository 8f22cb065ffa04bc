import { z } from "zod";
import { textOutput, ToolError, touchesNothing, type Tool } from "./tool.ts";
import description from "./skill.md" with { type: "text" };

const schema = z.strictObject({
  skill: z.string().min(1),
  args: z.string().optional(),
});

export type LoadedSkill = { text: string; folder: string };

/** Loads the instructions of a skill. `load` is null for a name that does not exist. */
export const skillTool = (
  load: (name: string, args: string) => Promise<LoadedSkill | null>,
): Tool<z.infer<typeof schema>> => ({
  name: "Skill",
  description,
  schema,
  readOnly: true,
  intent: async ({ skill }) => touchesNothing(`Skill ${skill}`),
  async run({ skill, args = "" }) {
    const found = await load(skill.replace(/^\//, ""), args);
    if (!found)
      throw new ToolError(`There is no skill ${skill}; the context lists those that exist.`);
    const text = `Folder of this skill: ${found.folder}\n\n${found.text}`;
    // The files that a skill names are beside it, often outside the workspace.
    return { ...textOutput(text), opens: found.folder };
  },
});
