import { expect, test } from "bun:test";
import {
  errorCode,
  isRecord,
  isTooDeep,
  parseJson,
  parseJsonc,
  toError,
} from "../../src/base/guards.ts";

test("a record is an object with names, not a list and not null", () => {
  expect([{}, { a: 1 }, [], null, undefined, "a", 1].filter(isRecord)).toEqual([{}, { a: 1 }]);
});

test("whatever was thrown becomes an error", () => {
  const error = new TypeError("no");
  expect(toError(error)).toBe(error);
  expect(toError("no").message).toBe("no");
  expect(toError(null)).toBeInstanceOf(Error);
});

test("only system errors have a code", () => {
  expect(errorCode(Object.assign(new Error("no"), { code: "ENOENT" }))).toBe("ENOENT");
  expect(errorCode(Object.assign(new Error("no"), { code: 2 }))).toBe("");
  expect(errorCode(new Error("no"))).toBe("");
  expect(errorCode({ code: "ENOENT" })).toBe("");
  expect(errorCode(null)).toBe("");
});

test("handwritten JSON may have comments, trailing commas and a byte order mark", () => {
  expect(parseJsonc('\u{feff}{ "a": 1, /* one */ }')).toEqual({ a: 1 });
  expect(parseJsonc('{ "a": ')).toBeUndefined();
  expect(parseJson('{"a":1}')).toEqual({ a: 1 });
  expect(parseJson('{"a":1,}')).toBeUndefined();
});

const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + 1 + "]".repeat(levels));

test("a value is too deep within more than 100 lists or objects", () => {
  expect(isTooDeep(nested(100))).toBe(false);
  expect(isTooDeep(nested(101))).toBe(true);
  expect(isTooDeep({ first: "", rest: nested(99) })).toBe(false);
  expect(isTooDeep({ first: "", rest: nested(100) })).toBe(true);
  expect(isTooDeep(Array(1_000).fill({ a: [] }))).toBe(false);
});
