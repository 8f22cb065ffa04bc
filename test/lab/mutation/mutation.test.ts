import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "./campaign.ts";
import { shuffled, type Mutant } from "./mutants.ts";
import { findEdits } from "./operators.ts";
import { likeliestFirst } from "./room.ts";

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

const ends = (mutants: readonly Mutant[]): string[] => mutants.map(({ after }) => after).sort();

test("a campaign reports the faults that tests miss", async () => {
  const result = await run({ root: tree, room: "gate", seed: 1, count: 100, hangMs: 6_000 });
  expect(ends(result.survived)).toEqual([
    "return years > 18;",
    "return years >= 19;",
    "while (years > 200) years -= 2;",
    // These two change nothing that any test could see.
    "while (years > 201) years -= 1;",
    "while (years >= 200) years -= 1;",
  ]);
  // One of them never terminates.
  expect(ends(result.killed)).toEqual([
    "return years < 18;",
    "while (years <= 200) years -= 1;",
    "while (years > 200) ;",
  ]);
  expect(readFileSync(join(tree, "src/gate/gate.ts"), "utf8")).toBe(gate);
});

test("a test that fails without any mutant ends the campaign", async () => {
  write("src/red/red.ts", "export const one = 1;\n");
  write(
    "test/red/red.test.ts",
    `import { expect, test } from "bun:test";\ntest("red", () => expect(1).toBe(2));\n`,
  );
  await expect(run({ root: tree, room: "red", seed: 1, count: 1 })).rejects.toThrow(
    "The tests fail without any mutant",
  );
  await expect(run({ root: tree, room: "none", seed: 1, count: 1 })).rejects.toThrow("no tests");
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

test("the nearest test comes first, then quick and near ones", () => {
  const times = new Map([
    ["test/gate/far.test.ts", 1],
    ["test/red/red.test.ts", 1],
    ["test/gate/slow.test.ts", 900],
    ["test/gate/quick.test.ts", 100],
    ["test/gate/gate.test.ts", 2_000],
  ]);
  for (const name of ["slow", "quick"])
    write(`test/gate/${name}.test.ts`, `import { isOpen } from "../../src/gate/gate.ts";\n`);
  expect(likeliestFirst(tree, times, "src/gate/gate.ts")).toEqual([
    "test/gate/gate.test.ts",
    "test/gate/quick.test.ts",
    "test/gate/slow.test.ts",
    "test/gate/far.test.ts",
    "test/red/red.test.ts",
  ]);
});
