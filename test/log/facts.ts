/** Arbitrary facts of every type, for properties over logs. */

import fc from "../properties.ts";
import { z } from "zod";
import { call, say } from "../context/build.ts";
import { answer, makeReport, sessionWith } from "../facts.ts";
import { factSchemas, type Entry, type Fact, type SessionFact } from "../../src/protocol/entry.ts";

export const userFact = (text: string): Fact => ({
  type: "user",
  content: [{ type: "text", text }],
});

export const sessionFact = (session = "s", version = 1): SessionFact => ({
  ...sessionWith("Bash"),
  version,
  session,
  cwd: "/work/there",
  model: "model-a",
});

export const assistantFact = (text: string, calls: string[] = []): Fact =>
  answer(
    { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 },
    [say(text), ...calls.map((id) => call(id, "Bash", { command: id }))],
    { model: "model-b", stop: calls.length > 0 ? "tool_use" : "end_turn" },
  );

export const resultFact = (toolUse: string, text: string): Fact =>
  makeReport({ toolUse, tool: "Bash", content: [say(text)] });

/** An inner call of a script. */
export const stepFact = (tool: string, input: Record<string, unknown>): Fact => ({
  ...makeReport({}),
  type: "step",
  toolUse: "s",
  outer: "t",
  tool,
  input,
  ms: 1,
});

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\n", "\r\n", "\u2028", "\ud800", "\0", '{"id":"e1"}\n', "𝒳é"),
);
const count = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }));
// JSON has no negative zero, so it would not read back equal.
const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

/** Values that a schema accepts; objects with fields that a later version might add, anywhere. */
function valuesOf(schema: unknown): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodString) return text;
  if (schema instanceof z.ZodNumber) return count;
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values);
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodArray) return fc.array(valuesOf(schema.element), { maxLength: 4 });
  if (schema instanceof z.ZodTuple) return fc.tuple(...schema.def.items.map(valuesOf));
  if (schema instanceof z.ZodNullable) return fc.option(valuesOf(schema.unwrap()));
  if (schema instanceof z.ZodDiscriminatedUnion) return fc.oneof(...schema.options.map(valuesOf));
  if (schema instanceof z.ZodRecord)
    return fc.dictionary(fc.string(), json, { maxKeys: 3 }).map((value) => ({ ...value }));
  if (!(schema instanceof z.ZodObject)) return json;
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const isOptional = field instanceof z.ZodExactOptional;
    return { name, isOptional, values: valuesOf(isOptional ? field.unwrap() : field) };
  });
  const own = fc.record(Object.fromEntries(fields.map(({ name, values }) => [name, values])), {
    requiredKeys: fields.flatMap(({ name, isOptional }) => (isOptional ? [] : [name])),
  });
  // The order of keys matters, too: a rebuilt request must have the same bytes.
  return fc
    .tuple(own, json, fc.constantFrom("none", "first", "last"))
    .map(([value, later, place]) => {
      if (place === "none") return value;
      return place === "first" ? { later, ...value } : { ...value, later };
    });
}

export const anyFact: fc.Arbitrary<Fact> = fc.oneof(
  ...[...factSchemas.values()].map((schema) =>
    valuesOf(schema).filter((value): value is Fact => schema.safeParse(value).success),
  ),
);

/** The line of an entry in a log. */
export const lineOf = (entry: Entry): string =>
  `${JSON.stringify(entry.type === "unknown" ? entry.raw : entry)}\n`;

/** An entry in short, for readable comparisons. */
export const brief = (entry: Entry): string => `${entry.id}<${entry.parent ?? "-"} ${entry.type}`;
