import { z } from "zod";
import type { Paths } from "../../config/paths.ts";
import { textOutput, ToolError, type Tool } from "../../tools/tool.ts";
import { maxNotesChars, planNote, type PlannedNote } from "./memory.ts";
import description from "./remember.md" with { type: "text" };

const schema = z.strictObject({
  note: z.string().trim().min(1).max(2_000).describe("One line that makes sense by itself."),
  everywhere: z.boolean().optional().describe("For all folders, not only for this one."),
});

/** Lets the model add to the user's notes, if they approve. */
export const rememberTool = (memory: Paths["memory"]): Tool<z.infer<typeof schema>> => {
  /** Throws `ToolError` when the notes would no longer be shown in full. */
  const planWithin = async (note: string, everywhere = false): Promise<PlannedNote> => {
    const planned = await planNote(everywhere ? memory.everywhere : memory.here, note);
    const { line, file, usedChars } = planned;
    if (usedChars + line.length + 1 <= maxNotesChars) return planned;
    throw new ToolError(
      `Not noted: ${file} holds ${size(usedChars)} of at most ${size(maxNotesChars)} characters, and this note has ${size(line.length)}. Tell the user that /memory opens the file, so that they can shorten it.`,
    );
  };
  return {
    name: "Remember",
    description,
    schema,
    readOnly: false,
    async intent({ note, everywhere }) {
      const { line, file, usedChars } = await planWithin(note, everywhere);
      return {
        access: { kind: "note", path: file },
        title: `Note for later sessions ${everywhere ? "in all folders" : "in this folder"}`,
        detail: `${line}\n\nAdded to this file, which holds ${size(usedChars)} of at most ${size(maxNotesChars)} characters:\n${file}`,
      };
    },
    async run({ note, everywhere }, run) {
      const { line, file, add } = await planWithin(note, everywhere);
      await run.checkpoint(file);
      return { ...textOutput(`Noted in ${file}:\n${line}`), facts: [await add()] };
    },
  };
};

const size = (chars: number): string => chars.toLocaleString("en");
