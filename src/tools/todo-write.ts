import { z } from "zod";
import { counted } from "../base/format.ts";
import { todoStatuses, todoTool } from "../protocol/todo.ts";
import { countLines } from "../base/clip.ts";
import { textOutput, touchesNothing, type Tool } from "./tool.ts";
import description from "./todo-write.md" with { type: "text" };

const oneLine = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .refine((text) => countLines(text) === 1, "must be one line");

const input = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        content: oneLine.describe('"Run the tests"'),
        status: z.enum(todoStatuses),
        activeForm: oneLine.optional().describe('"Running the tests"'),
      }),
    )
    .max(100)
    .refine(
      (todos) => todos.filter(({ status }) => status === "in_progress").length <= 1,
      "at most one item may be in_progress",
    )
    .describe("The complete list, in order; it replaces the previous one."),
});

const marks = { pending: "[ ]", in_progress: "[>]", completed: "[x]" };

/** The model's list of steps. It is stored in the call itself and nowhere else. */
export const todoWriteTool: Tool<z.infer<typeof input>> = {
  name: todoTool,
  description,
  schema: input,
  readOnly: true,
  intent: async ({ todos }) => touchesNothing(`Task list: ${counted(todos.length, "item")}`),
  run: async ({ todos }) => {
    const completed = todos.filter(({ status }) => status === "completed").length;
    const lines = todos.map(({ content, status }) => `${marks[status]} ${content}`);
    return textOutput([`${completed} of ${todos.length} completed`, ...lines].join("\n"));
  },
};
