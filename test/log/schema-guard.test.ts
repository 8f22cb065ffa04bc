import { expect, test } from "bun:test";
import { z } from "zod";
import { schemaGuard } from "../../src/log/parse.ts";

const schema = z.looseObject({
  type: z.literal("x"),
  number: z.number(),
  on: z.boolean(),
  pair: z.tuple([z.number(), z.string()]),
  nullable: z.string().nullable(),
  optional: z.string().exactOptional(),
  map: z.record(z.string(), z.number()),
  list: z.array(z.string()),
  kind: z.enum(["a", "b"]),
  any: z.unknown(),
  either: z.discriminatedUnion("is", [
    z.looseObject({ is: z.literal("one"), value: z.number() }),
    z.looseObject({ is: z.literal("two"), value: z.string() }),
  ]),
});
const valid: Record<string, unknown> = {
  type: "x",
  number: 1,
  on: false,
  pair: [1, "b"],
  nullable: null,
  map: { a: 1 },
  list: ["a"],
  kind: "b",
  any: [null],
  either: { is: "one", value: 1 },
};
const guard = schemaGuard(schema);

const variants: [field: string, value: unknown, accepted: boolean][] = [
  ["type", "y", false],
  ["number", "1", false],
  ["number", Number.NaN, false],
  ["number", Number.POSITIVE_INFINITY, false],
  ["on", true, true],
  ["on", 0, false],
  ["pair", [1], false],
  ["pair", [1, "b", 2], false],
  ["pair", ["a", "b"], false],
  ["pair", { 0: 1, 1: "b", length: 2 }, false],
  ["nullable", "text", true],
  ["nullable", 1, false],
  ["optional", "text", true],
  ["optional", null, false],
  ["optional", undefined, false],
  ["map", {}, true],
  ["map", { a: "1" }, false],
  ["map", [1], false],
  ["map", null, false],
  ["list", [], true],
  ["list", ["a", 1], false],
  ["list", "a", false],
  ["kind", "c", false],
  ["any", null, true],
  ["any", undefined, true],
  ["either", { is: "two", value: "b", more: 1 }, true],
  ["either", { is: "two", value: 1 }, false],
  ["either", { is: "three", value: 1 }, false],
  ["either", null, false],
  ["unknown", 1, true],
];

test.each(variants)("%s: %j is accepted: %p", (field, value, accepted) => {
  const changed = { ...valid, [field]: value };
  expect(schema.safeParse(changed).success).toBe(accepted);
  expect(guard(changed)).toBe(accepted);
});

test("a missing field is refused, unless it is optional", () => {
  expect(guard(valid)).toBe(true);
  for (const field of Object.keys(valid)) {
    const { [field]: _, ...rest } = valid;
    expect([field, guard(rest)]).toEqual([field, false]);
  }
  for (const value of [null, "x", [valid], undefined]) expect(guard(value)).toBe(false);
});

test("a kind of schema without a fast guard is an error", () => {
  expect(() => schemaGuard(z.date())).toThrow(TypeError);
  expect(() => schemaGuard(z.union([z.string(), z.number()]))).toThrow(TypeError);
  const nested = z.discriminatedUnion("is", [
    z.discriminatedUnion("is", [z.object({ is: z.literal("a") })]),
  ]);
  expect(() => schemaGuard(nested)).toThrow(TypeError);
  expect(() => schemaGuard(z.discriminatedUnion("is", [z.object({ is: z.enum(["a"]) })]))).toThrow(
    TypeError,
  );
});
