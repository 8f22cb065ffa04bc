/** A server's question to the user while one of its tools runs: a form, as the protocol limits it. */

import { z } from "zod";
import { listMissing, findValue, type FormField, type FormValues } from "../../protocol/form.ts";
import type { ToolRun } from "../../tools/tool.ts";
import { clean, cleanLine } from "./listing.ts";

const maxFields = 20;
const maxOptions = 50;
const messageChars = 2_000;
const labelChars = 200;

const option = z.object({ const: z.string(), title: z.string().optional() });

const propertySchema = z.looseObject({
  type: z.enum(["string", "number", "integer", "boolean"]),
  title: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).max(maxOptions).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(option).max(maxOptions).optional(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional().catch(undefined),
});

const form = z.looseObject({
  message: z.string(),
  mode: z.literal("form").optional(),
  requestedSchema: z.looseObject({
    properties: z.record(z.string().regex(/^[\w.-]{1,64}$/), propertySchema),
    required: z.array(z.string()).optional(),
  }),
});

export type ElicitAnswer =
  { action: "accept"; content: FormValues } | { action: "decline" | "cancel" };

let questions = 0;

/** Asks the user. Declines anything that is not a form, and when nobody can be asked. */
export async function elicit(
  server: string,
  params: unknown,
  ask: ToolRun["ask"] | undefined,
): Promise<ElicitAnswer> {
  const { data } = form.safeParse(params);
  const found = data && readFields(data.requestedSchema);
  if (!data || !found || !ask) return { action: "decline" };
  const { fields, defaults } = found;
  const answer = await ask({
    id: `elicit-${++questions}`,
    toolUse: "",
    tool: server,
    title: `MCP server ${server} asks you`,
    detail: clean(data.message, messageChars),
    detailKind: "text",
    rule: null,
    form: { fields, defaults },
  });
  if (!answer.allow) return { action: "decline" };
  const content = pickValues(fields, answer.input ?? {});
  return listMissing(fields, content).length > 0
    ? { action: "decline" }
    : { action: "accept", content };
}

type Schema = z.infer<typeof form>["requestedSchema"];

function readFields({ properties, required = [] }: Schema) {
  const entries = Object.entries(properties);
  if (entries.length > maxFields) return null;
  const fields = entries.map(([name, property]): FormField => {
    const words = [property.title, property.description].filter(Boolean).join(": ");
    const label = cleanLine(words === "" ? name : words, labelChars);
    const common = { name, label, isRequired: required.includes(name) };
    const toOption = (value: string, shown = value) => {
      return { value, label: cleanLine(shown, labelChars) };
    };
    const options =
      property.oneOf?.map(({ const: value, title }) => toOption(value, title)) ??
      property.enum?.map((value, at) => toOption(value, property.enumNames?.[at]));
    if (options) return { ...common, kind: "choice", options };
    if (property.type === "boolean") return { ...common, kind: "yes-no" };
    if (property.type === "string") return { ...common, kind: "text" };
    return { ...common, kind: "number", isInteger: property.type === "integer" };
  });
  const given = Object.fromEntries(entries.map(([name, property]) => [name, property.default]));
  return { fields, defaults: pickValues(fields, given) };
}

/** The values that fit their fields. */
function pickValues(fields: readonly FormField[], given: Record<string, unknown>): FormValues {
  const values: FormValues = {};
  for (const field of fields) {
    const value = findValue(field, String(given[field.name]));
    if (value !== null && value === given[field.name]) values[field.name] = value;
  }
  return values;
}
