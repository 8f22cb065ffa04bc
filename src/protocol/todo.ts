/** The todo list: the model writes it as the input of the tool TodoWrite, and it is stored nowhere else. */

import { z } from "zod";
import type { EntryOf } from "./entry.ts";

export const todoTool = "TodoWrite";

export const todoStatuses = ["pending", "in_progress", "completed"] as const;

const todo = z.object({
  content: z.string(),
  // Imported sessions may have other statuses.
  status: z.enum(todoStatuses).catch("pending"),
});
export type Todo = z.infer<typeof todo>;

const schema = z.object({ todos: z.array(todo) });

/** The list in the input of a call; null if the input is not a list. */
export const parseTodos = (input: unknown): Todo[] | null =>
  schema.safeParse(input).data?.todos ?? null;

/** The last list that an answer wrote; null: it wrote none. */
export function lastTodos({ content }: EntryOf<"assistant">): Todo[] | null {
  const lists = content.map((block) =>
    block.type === "tool_use" && block.name === todoTool ? parseTodos(block.input) : null,
  );
  return lists.findLast((list) => list !== null) ?? null;
}
