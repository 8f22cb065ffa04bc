import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Campaign, type Result, run } from "./campaign.ts";
import { shuffled } from "./mutants.ts";
import { findEdits } from "./operators.ts";

const root = join(import.meta.dir, "../../..");
const tree = mkdtempSync(join(tmpdir(), "mini-claude-mutation-"));
afterAll(() => rmSync(tree, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(tree, file)), { recursive: true });
  writeFileSync(join(tree, file), text);
}

const gate = `export function isOpen(age: number): boolean {
  let years = age;
  while (years > 200) years -= 1;
  return years >= 18;
}
`;
symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
write("tsconfig.json", readFileSync(join(root, "tsconfig.json"), "utf8"));
write("src/gate/gate.ts", gate);
// The weak test: it never asks at the boundary.
write(
  "test/gate/gate.test.ts",
  `import { expect, test } from "bun:test";
import { isOpen } from "../../src/gate/gate.ts";
test("gate", () => expect([isOpen(17), isOpen(19), isOpen(201)]).toEqual([false, true, true]));
`,
);
write("test/gate/far.test.ts", `import { test } from "bun:test";\ntest("far", () => {});\n`);

async function results(rooms: string[], further: Partial<Campaign> = {}): Promise<Result[]> {
  const campaign = { root: tree, rooms, seed: 1, count: 100, hangMs: 6_000, ...further };
  return await Array.fromAsync(run(campaign));
}
const ends = ({ rows }: Result, accept: (row: Result["rows"][number]) => boolean): string[] =>
  rows
    .filter(accept)
    .map(({ mutant }) => mutant.after)
    .sort();

test("a campaign reports the faults that tests miss, and who caught the others", async () => {
  const [result] = await results(["gate"]);
  if (!result) throw new Error("no result");
  expect(ends(result, ({ tests }) => tests.length === 0)).toEqual([
    "return years > 18;",
    "return years >= 19;",
    "while (years > 200) years -= 2;",
    // These two change nothing that any test could see.
    "while (years > 201) years -= 1;",
    "while (years >= 200) years -= 1;",
  ]);
  expect(ends(result, ({ tests }) => tests.includes("test/gate/gate.test.ts: gate"))).toEqual([
    "return years < 18;",
  ]);
  // These never terminate.
  expect(ends(result, ({ tests }) => tests === "all")).toEqual([
    "while (years <= 200) years -= 1;",
    "while (years > 200) ;",
  ]);
  expect(readFileSync(join(tree, "src/gate/gate.ts"), "utf8")).toBe(gate);
});

test("with the whole suite, the tests of other rooms are tried as well", async () => {
  write(
    "test/door/door.test.ts",
    `import { expect, test } from "bun:test";
import { isOpen } from "../../src/gate/gate.ts";
test("boundary", () => expect([isOpen(18), isOpen(202)]).toEqual([true, true]));
`,
  );
  const [result] = await results(["gate"], { suite: true });
  if (!result) throw new Error("no result");
  expect(ends(result, ({ elsewhere }) => elsewhere)).toEqual([
    "return years > 18;",
    "return years >= 19;",
  ]);
  rmSync(join(tree, "test/door"), { recursive: true });
});

test("with bail, the same mutants survive", async () => {
  const missed = (result?: Result) => result && ends(result, ({ tests }) => tests.length === 0);
  const [[all], [first]] = [await results(["gate"]), await results(["gate"], { bail: true })];
  expect(missed(first)).toEqual(missed(all));
});

test("a test that fails without any mutant is left out; a room needs tests", async () => {
  write("src/red/red.ts", "export const red = 1;\n");
  write(
    "test/red/red.test.ts",
    `import { expect, test } from "bun:test";\ntest("red", () => expect(1).toBe(2));\n`,
  );
  const [result] = await results(["red"]);
  expect(result?.failing).toEqual(["test/red/red.test.ts"]);
  await expect(results(["none"])).rejects.toThrow("no tests");
});

const mutations: [source: string, mutated: string[]][] = [
  ["a < b;", ["a <= b;", "a >= b;", ";"]],
  ["f(a && !b);", ["f(a || !b);", "f(a && b);", ";"]],
  ["const x = a ?? 1;", ["const x = 1;", "const x = a ?? 2;"]],
  ["await f();", ["f();", ";"]],
  ["type A = 1; const x: A = 1;", ["type A = 1; const x: A = 2;"]],
  ["if (a) return;", ["if (!(a)) return;", ";"]],
  ["if (a === b) c();", ["if (a !== b) c();", "if (a === b) ;", ";"]],
  ["const x = 4 * 1_024 * 1024;", ["const x = 4 * 1_024 * 1024 + 1;"]],
  ["const x = [...a];", ["const x = [...[]];"]],
  ["const x = { ...a };", ["const x = { ...{} };"]],
  ["const x = a.filter(b);", ["const x = a;"]],
  ["const x = Math.max(a, b);", ["const x = Math.min(a, b);"]],
  [
    "try { f(); } finally { g(); }",
    ["try { ; } finally { g(); }", "try { f(); } finally {}", "try { f(); } finally { ; }"],
  ],
];

test.each(mutations)("%s", (source, mutated) => {
  const body = (text: string): string => `async function f(a, b, c) { ${text} }`;
  const found = findEdits("a.ts", body(source)).map(
    ({ start, end, text }) => body(source).slice(0, start) + text + body(source).slice(end),
  );
  expect(found.sort()).toEqual([...mutated.map(body), "async function f(a, b, c) {}"].sort());
});

test("an await that a generator yields is not a mutant", () => {
  const source = "async function* f(g) { yield await g; }";
  const texts = findEdits("a.ts", source).map(({ text }) => text);
  expect(texts.sort()).toEqual([";", "{}"]);
});

test("a seed gives the same order every time", () => {
  const items = Array.from({ length: 50 }, (_, at) => at);
  expect(shuffled(items, 7)).toEqual(shuffled(items, 7));
  expect(shuffled(items, 7)).not.toEqual(shuffled(items, 8));
  expect(shuffled(items, 7).sort((a, b) => a - b)).toEqual(items);
});
