import { isRecord } from "../base/guards.ts";
import { z } from "zod";

type Test = (value: unknown) => boolean;

/**
 * A type guard that accepts exactly what the schema accepts, about five times faster, because it
 * neither copies nor explains: users wait while a log of 100 MB opens. A value that is not copied
 * keeps the order of its keys, so a resumed session sends the same bytes.
 */
export function schemaGuard<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  const test = testOf(schema);
  return (value): value is T => test(value);
}

/** Handles the kinds of schema used for facts. Throws `TypeError` for others. */
function testOf(schema: unknown): Test {
  if (schema instanceof z.ZodString) return (value) => typeof value === "string";
  if (schema instanceof z.ZodNumber) return (value) => Number.isFinite(value);
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === "boolean";
  if (schema instanceof z.ZodUnknown) return () => true;
  if (schema instanceof z.ZodLiteral) return isOneOf(schema.values);
  if (schema instanceof z.ZodEnum) return isOneOf(new Set<unknown>(schema.options));
  if (schema instanceof z.ZodArray) return isArrayOf(testOf(schema.element));
  if (schema instanceof z.ZodTuple) return isTupleOf(schema.def.items.map(testOf));
  if (schema instanceof z.ZodNullable) {
    const inner = testOf(schema.unwrap());
    return (value) => value === null || inner(value);
  }
  if (schema instanceof z.ZodRecord) {
    const inner = testOf(schema.valueType);
    return (value) => isRecord(value) && Object.values(value).every(inner);
  }
  if (schema instanceof z.ZodDiscriminatedUnion) return isOneByName(schema);
  if (schema instanceof z.ZodObject) return hasShape(schema);
  throw new TypeError("There is no fast guard for this kind of schema.");
}

const isOneOf =
  (values: ReadonlySet<unknown>): Test =>
  (value) =>
    values.has(value);

const isArrayOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);

const isTupleOf =
  (tests: readonly Test[]): Test =>
  (value) =>
    Array.isArray(value) &&
    value.length === tests.length &&
    tests.every((test, index) => test(value[index]));

function hasShape(schema: z.ZodObject): Test {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const optional = field instanceof z.ZodExactOptional;
    return { name, optional, test: testOf(optional ? field.unwrap() : field) };
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

function isOneByName(union: z.ZodDiscriminatedUnion): Test {
  const name = union.def.discriminator;
  const tests = new Map<unknown, Test>();
  for (const option of union.options) {
    const literal = option instanceof z.ZodObject ? option.shape[name] : null;
    if (!(option instanceof z.ZodObject) || !(literal instanceof z.ZodLiteral)) {
      throw new TypeError("There is no fast guard for this kind of union.");
    }
    for (const value of literal.values) tests.set(value, hasShape(option));
  }
  return (value) => isRecord(value) && (tests.get(value[name])?.(value) ?? false);
}
