import { z } from "zod";
import { countLines } from "./cut-text.ts";
import type { Tool } from "./tool.ts";

const statuses = ["pending", "in_progress", "done", "cancelled"] as const;

const input = z.strictObject({
  items: z
    .array(
      z.strictObject({
        text: z
          .string()
          .trim()
          .min(1)
          .max(500)
          .refine((text) => countLines(text) === 1, "must be one line"),
        status: z.enum(statuses),
      }),
    )
    .max(100)
    .refine(
      (items) => items.filter((item) => item.status === "in_progress").length <= 1,
      "at most one item may be in_progress",
    )
    .describe("The whole list, in order; it replaces the one before."),
});

const marks: Record<(typeof statuses)[number], string> = {
  pending: "[ ]",
  in_progress: "[>]",
  done: "[x]",
  cancelled: "[-]",
};

/** The model's list of steps. The list lives in the call itself; nothing else is kept. */
export const todoTool: Tool<z.infer<typeof input>> = {
  name: "todo",
  description:
    "Sets your list of steps for the task and shows it to the person. Give the whole list each " +
    "time. Use it for work of three steps or more; have one item in_progress; mark an item done as " +
    "soon as it is.",
  schema: input,
  readOnly: true,
  intent: async ({ items }) => ({
    access: { kind: "none" },
    title: `Todo: ${items.length} items`,
    detail: "",
    detailKind: "text",
  }),
  run: async ({ items }) => {
    const done = items.filter((item) => item.status === "done").length;
    const lines = items.map((item) => `${marks[item.status]} ${item.text}`);
    const text = [`${done} of ${items.length} done`, ...lines].join("\n");
    return { content: [{ type: "text", text }] };
  },
};
