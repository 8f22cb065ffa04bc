/** Edits that are spelled out, and requests that only look like one. */

import { expect, test } from "bun:test";
import { readEditRequest } from "../../../src/model/offline/skills/change.ts";

test.each([
  [
    'replace "a" with "b" in x.ts',
    { kind: "replace", from: "a", to: "b", path: "x.ts", all: false },
  ],
  [
    'Please replace all "a" by "b" in src/x.ts.',
    { from: "a", to: "b", path: "src/x.ts", all: true },
  ],
  ["in src/x.ts, change `it's` to `its`", { from: "it's", to: "its", path: "src/x.ts" }],
  ["change foo to bar in x.ts", { from: "foo", to: "bar" }],
  ['replace "say "hi"" with "say "ho"" in x.ts', { from: 'say "hi"', to: 'say "ho"' }],
  ['remove the text "old" from x.ts', { kind: "replace", from: "old", to: "" }],
  ["rename foo to bar in x.ts", { kind: "replace", from: "foo", to: "bar", path: "x.ts" }],
  ['append "z" to notes.txt', { kind: "add", text: "z", path: "notes.txt", atTop: false }],
  ["create a.ts with content\n```ts\nlet a;\n```", { kind: "create", content: "let a;\n" }],
  [
    "create notes.txt with the text hello world",
    { kind: "create", path: "notes.txt", content: "hello world\n" },
  ],
  ["create an empty file a/b.txt", { kind: "create", path: "a/b.txt", content: "" }],
])("%s", (question, wanted) => {
  expect(readEditRequest(question)).toMatchObject(wanted);
});

test.each([
  "replace the parser with a better one",
  "make x.ts faster",
  "rename the function in x.ts",
  "where is the text replaced?",
  "create a login page with good colors",
  "create test/foo.test.ts with tests for foo",
  "write a README with install instructions",
  'what happens if I replace "a" with "b" in x.ts?',
  'replace "" with "b" in x.ts',
])("is not an edit: %s", (question) => {
  expect(readEditRequest(question)).toBeNull();
});
