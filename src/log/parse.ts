/** Validates lines of a log. Data from disk is checked here and nowhere else. */

import { z } from "zod";
import type { Entry, Fact } from "../protocol/entry.ts";
import { isRecord } from "../base/guards.ts";

/** The format version written. A log with a later version is opened read-only. */
export const logVersion = 2;

const base = z.looseObject({
  id: z.string(),
  parent: z.string().nullable(),
  at: z.string(),
  type: z.string(),
});

type Base = z.infer<typeof base>;

const isBase = schemaGuard(base);

/** Built for the first line that is read or written: an empty session is shown without them. */
const schemas = (): typeof import("../protocol/entry.ts") => require("../protocol/entry.ts");
const findSchema = (type: string) => schemas().factSchemas.get(type);

type Guard = (value: unknown) => value is Fact;
const guards = new Map<string, Guard>();

function findGuard(type: string): Guard | undefined {
  const known = guards.get(type);
  if (known) return known;
  const schema = findSchema(type);
  const guard = schema && schemaGuard(schema);
  if (guard) guards.set(type, guard);
  return guard;
}

/** An entry with a `problem` is of a known type but damaged; it is kept as unknown. */
type ParsedLine = { entry: Entry; problem?: string } | { entry: null; problem: string };

/**
 * Parses one line. An entry that is damaged or of an unknown type becomes an `unknown` entry with
 * all its data, so its children keep their parent. The value is not copied: unknown fields and the
 * order of keys are preserved.
 */
export function parseLine(line: string): ParsedLine {
  let json: unknown;
  try {
    // An editor may have put a byte order mark before the first line.
    json = JSON.parse(line.startsWith("\ufeff") ? line.slice(1) : line);
  } catch {
    return { entry: null, problem: "is not valid JSON" };
  }
  return parseValue(json);
}

function parseValue(json: unknown): ParsedLine {
  if (!isBase(json) || json.id === "") return { entry: null, problem: "is not an entry" };
  const guard = findGuard(json.type);
  if (guard === undefined) return { entry: toUnknown(json) };
  if (isEntry(json, guard)) return { entry: json };
  const issue = findSchema(json.type)?.safeParse(json).error?.issues[0];
  const where = issue === undefined ? "" : ` (${issue.path.join(".")}: ${issue.message})`;
  return { entry: toUnknown(json), problem: `is a damaged ${json.type} entry${where}` };
}

const isEntry = (json: Base, guard: Guard): json is Base & Entry => guard(json);

const toUnknown = (raw: Base): Entry => {
  const { id, parent, at } = raw;
  return { id, parent, at, type: "unknown", raw };
};

/** Turns a fact into an entry at a position of the log. */
export const entryAt = (fact: Fact, position: Pick<Base, "id" | "parent" | "at">): Entry =>
  fact.type === "unknown"
    ? { ...position, type: "unknown", raw: { ...fact.raw, ...position } }
    : { ...position, ...fact };

/** The line of an entry, newline included. Unknown entries are written back unchanged. */
export function formatEntry(entry: Entry): string {
  return `${JSON.stringify(entry.type === "unknown" ? entry.raw : entry)}\n`;
}

type ValueTest = (value: unknown) => boolean;

/**
 * A type guard that accepts exactly what the schema accepts, about five times faster, because it
 * neither copies nor explains: users wait while a log of 100 MB opens. A value that is not copied
 * keeps the order of its keys, so a resumed session sends the same bytes.
 */
function schemaGuard<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  const test = makeTest(schema);
  return (value): value is T => test(value);
}

/** Handles the kinds of schema used for facts. Throws `TypeError` for others. */
function makeTest(schema: unknown): ValueTest {
  if (schema instanceof z.ZodString) return (value) => typeof value === "string";
  if (schema instanceof z.ZodNumber) return (value) => Number.isFinite(value);
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === "boolean";
  if (schema instanceof z.ZodUnknown) return () => true;
  if (schema instanceof z.ZodLiteral) return oneOf(schema.values);
  if (schema instanceof z.ZodEnum) return oneOf(new Set<unknown>(schema.options));
  if (schema instanceof z.ZodArray) return arrayOf(makeTest(schema.element));
  if (schema instanceof z.ZodTuple) return tupleOf(schema.def.items.map(makeTest));
  if (schema instanceof z.ZodNullable) {
    const inner = makeTest(schema.unwrap());
    return (value) => value === null || inner(value);
  }
  if (schema instanceof z.ZodRecord) {
    const inner = makeTest(schema.valueType);
    return (value) => isRecord(value) && Object.values(value).every(inner);
  }
  if (schema instanceof z.ZodDiscriminatedUnion) return isOneByName(schema);
  if (schema instanceof z.ZodObject) return hasShape(schema);
  throw new TypeError("There is no fast guard for this kind of schema.");
}

const oneOf =
  (values: ReadonlySet<unknown>): ValueTest =>
  (value) =>
    values.has(value);

const arrayOf =
  (test: ValueTest): ValueTest =>
  (value) =>
    Array.isArray(value) && value.every(test);

const tupleOf =
  (tests: readonly ValueTest[]): ValueTest =>
  (value) =>
    Array.isArray(value) &&
    value.length === tests.length &&
    tests.every((test, index) => test(value[index]));

function hasShape(schema: z.ZodObject): ValueTest {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const optional = field instanceof z.ZodExactOptional;
    return { name, optional, test: makeTest(optional ? field.unwrap() : field) };
  });
  return (value) => {
    if (!isRecord(value)) return false;
    for (const { name, optional, test } of fields) {
      const field = value[name];
      // Looked up once, since nearly every field is there.
      if (field === undefined && !(name in value)) {
        if (optional) continue;
        return false;
      }
      if (!test(field)) return false;
    }
    return true;
  };
}

function isOneByName(union: z.ZodDiscriminatedUnion): ValueTest {
  const name = union.def.discriminator;
  const tests = new Map<unknown, ValueTest>();
  for (const option of union.options) {
    const literal = option instanceof z.ZodObject ? option.shape[name] : null;
    if (!(option instanceof z.ZodObject) || !(literal instanceof z.ZodLiteral)) {
      throw new TypeError("There is no fast guard for this kind of union.");
    }
    for (const value of literal.values) tests.set(value, hasShape(option));
  }
  return (value) => isRecord(value) && (tests.get(value[name])?.(value) ?? false);
}
