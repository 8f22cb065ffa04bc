import { clipLine } from "../../protocol/clip.ts";
import { contextFact } from "../../protocol/context-fact.ts";
import type { ContextFact } from "../../protocol/entry.ts";
import type { PromptFile } from "./prompt-file.ts";

/** Characters of all lines together. */
const maxChars = 4_000;
const maxLineChars = 250;

const introduction =
  "Skills: instructions for particular tasks. When a task matches one, load it with the Skill tool first.";

/**
 * What the model is told about its skills: one line each, and only the names of those that no
 * longer fit.
 */
export function listSkills(skills: readonly PromptFile[]): ContextFact[] {
  const lines: string[] = [];
  const names: string[] = [];
  let chars = 0;
  for (const { name, description, isForModel } of skills) {
    if (!isForModel) continue;
    const line = clipLine(`- ${name}: ${description}`, maxLineChars);
    chars += line.length;
    if (chars <= maxChars) lines.push(line);
    else names.push(name);
  }
  if (lines.length === 0) return [];
  const rest = names.length === 0 ? [] : [clipLine(`Others: ${names.join(", ")}`, maxChars)];
  return [contextFact("instructions", "skills", [introduction, ...lines, ...rest].join("\n"))];
}
