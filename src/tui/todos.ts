/** The todo list as the model last wrote it. */

import { z } from "zod";
import type { EntryOf } from "../protocol/entry.ts";

export type TodoItem = { text: string; state: "open" | "doing" | "done" };

const states: Record<string, TodoItem["state"]> = { in_progress: "doing", completed: "done" };

const schema = z.object({
  todos: z.array(z.object({ content: z.string(), status: z.string() })),
});

/** null: this answer did not write one. */
export function todosIn(entry: EntryOf<"assistant">): readonly TodoItem[] | null {
  let found: readonly TodoItem[] | null = null;
  for (const block of entry.content) {
    if (block.type !== "tool_use" || block.name !== "TodoWrite") continue;
    const parsed = schema.safeParse(block.input);
    if (!parsed.success) continue;
    found = parsed.data.todos.map(({ content, status }) => ({
      text: content,
      state: states[status] ?? "open",
    }));
  }
  return found;
}
