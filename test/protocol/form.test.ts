import { expect, test } from "bun:test";
import { listMissing, findValue, type FormField } from "../../src/protocol/form.ts";

const common = { name: "f", label: "F", isRequired: true };
const text: FormField = { ...common, kind: "text" };
const number: FormField = { ...common, kind: "number", isInteger: false };
const integer: FormField = { ...common, kind: "number", isInteger: true };
const yesNo: FormField = { ...common, kind: "yes-no" };
const choice: FormField = { ...common, kind: "choice", options: [{ value: "a", label: "A" }] };

test.each([
  [text, "", ""],
  [number, " 1.5 ", 1.5],
  [number, "", null],
  [number, "Infinity", null],
  [number, "one", null],
  [integer, "-3", -3],
  [integer, "1.5", null],
  [integer, "9007199254740993", null],
  [yesNo, "Y", true],
  [yesNo, "true", true],
  [yesNo, "No", false],
  [yesNo, "yesterday", null],
  [choice, "a", "a"],
  [choice, "A", null],
])("%j takes %j for %j", (field, typed, value) => {
  expect(findValue(field, typed)).toBe(value);
});

test("a required field is missing until it has a value, even an empty or a negative one", () => {
  const fields = [
    { ...text, name: "empty" },
    { ...yesNo, name: "no" },
    { ...number, name: "zero" },
    { ...text, name: "gone" },
    { ...text, name: "free", isRequired: false },
  ];
  const missing = listMissing(fields, { empty: "", no: false, zero: 0 });
  expect(missing.map(({ name }) => name)).toEqual(["gone"]);
});
