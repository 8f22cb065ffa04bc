/** The todo list as the model last wrote it. */

import { z } from "zod";
import type { EntryOf } from "../protocol/entry.ts";
import type { TodoItem } from "./types.ts";

const states: Record<string, TodoItem["state"]> = {
  in_progress: "doing",
  doing: "doing",
  completed: "done",
  done: "done",
};

const schema = z.object({
  items: z.array(
    z.looseObject({
      content: z.string().optional(),
      text: z.string().optional(),
      status: z.string().optional(),
      state: z.string().optional(),
    }),
  ),
});

/** null: this answer wrote none. */
export function todosIn(entry: EntryOf<"assistant">): readonly TodoItem[] | null {
  let found: readonly TodoItem[] | null = null;
  for (const block of entry.content) {
    if (block.type !== "tool_use" || block.name !== "todo") continue;
    const parsed = schema.safeParse(block.input);
    if (!parsed.success) continue;
    found = parsed.data.items.map((todo) => ({
      text: todo.content ?? todo.text ?? "",
      state: states[todo.status ?? todo.state ?? ""] ?? "open",
    }));
  }
  return found;
}
