import type { View } from "../../context/types.ts";

/** Name and text of a readable copy of what the model sees now: a message a line, as JSON. */
export function transcriptOf(view: View): { name: string; text: string } {
  const at = view.rows.at(-1)?.entry.at ?? "";
  const text = view.messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  return { name: `transcript_${at.replace(/[^\dTZ]+/g, "-")}.jsonl`, text };
}
