/** The rooms of `src/` and which of them may import which. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { doors } from "./doors.ts";

const root = join(import.meta.dir, "../src");

/** Rooms whose folders are rooms of their own. */
const divided = ["app", "commands", "headless", "model"];

/** The room of a file: its first folder, or its first two in a divided room. Empty for `cli.tsx`. */
function findModule(path: string): string {
  const [room = "", ...rest] = path.split("/").slice(0, -1);
  const part = divided.includes(room) ? rest[0] : undefined;
  return part === undefined || !hasRules(`${room}/${part}`) ? room : `${room}/${part}`;
}

const hasRules = (module: string): boolean => Object.hasOwn(allowedImports, module);

/**
 * The imports that each room may have besides itself, `base` and packages; `type:` marks those that may only be
 * imported with `import type`. `run` introduces the rooms to one another, and others import
 * only its door; the rest of `app` may import everything, and nothing imports it.
 */
const allowedImports: Record<string, string> = {
  protocol: "",
  base: "",
  config: "protocol",
  log: "protocol",
  context: "protocol",
  model: "protocol",
  "model/offline": "protocol type:model",
  docs: "config",
  trust: "protocol config tools extensions",
  snapshots: "protocol log",
  tools: "protocol context docs trust snapshots",
  extensions: "protocol config tools trust type:agent",
  agent: "protocol context type:extensions type:log type:model type:snapshots type:tools",
  ui: "protocol context config docs",
  "headless/print": "protocol type:context",
  "headless/control": "protocol",
  run: "protocol config log context model tools extensions agent snapshots trust",
  headless:
    "protocol config context model extensions headless/print headless/control run agent log snapshots type:tools",
  "headless/library": "protocol context model agent config run headless",
  "headless/acp": "protocol config context log model agent headless/print headless run",
  "commands/import": "protocol config log tools agent",
  "commands/doctor": "protocol config model tools extensions trust",
  "commands/session-page": "protocol context model",
  "commands/sessions": "protocol config log",
  "commands/trust": "protocol config extensions trust",
  "commands/auth": "protocol config",
  "commands/update": "config trust",
  "commands/mcp": "protocol config extensions trust",
};

/** The only file of `app/` that other rooms import. */
const door = "run/open-run.ts";

const importPattern = /^(?:import|export)\s+(type\s+)?[^;]*?from\s+"(\.[^"]+)"/gms;

type Import = { onlyType: boolean; target: string };
type Source = { file: string; text: string; imports: Import[] };

/** All files below `src/`, with what they import of one another. */
const sources: Source[] = await Promise.all(
  [...new Bun.Glob("**/*.{ts,tsx}").scanSync(root)].map(async (file) => {
    const text = await Bun.file(join(root, file)).text();
    const imports = [...text.matchAll(importPattern)].map(([, type, target = ""]) => ({
      onlyType: type !== undefined,
      target: relative(root, join(root, dirname(file), target)),
    }));
    return { file, text, imports };
  }),
);
const sourceOf = new Map(sources.map((source) => [source.file, source]));

test("rooms import only what they may", () => {
  const violations: string[] = [];
  for (const { file, imports } of sources) {
    const module = findModule(file);
    for (const { onlyType, target } of imports) {
      const other = findModule(target);
      if (other === module || target === "../package.json") continue;
      if (file === "cli.tsx" || module === "app") continue;
      const open = allowedImports[module]?.split(" ") ?? [];
      if (other === "run" && target !== door) violations.push(`${file} -> ${target}, not ${door}`);
      const allowed =
        other === "base" || open.includes(other) || (onlyType && open.includes(`type:${other}`));
      if (!allowed) violations.push(`${file} -> ${target}`);
    }
  }
  expect(violations).toEqual([]);
});

/** The steps of `context/`, the lowest first. `types.ts` is the vocabulary of all of them. */
const contextOrder = [
  "types.ts",
  "view",
  "rules",
  "meter",
  "summary",
  "tiers",
  "describe-cut.ts",
  "ladder.ts",
  "evidence.ts",
  "forecast.ts",
  "request.ts",
];

test("in context, every step imports only from the steps below it", () => {
  const violations: string[] = [];
  for (const { file, imports } of sources) {
    const [room, step = ""] = file.split("/");
    if (room !== "context" || !file.endsWith(".ts")) continue;
    const rank = contextOrder.indexOf(step);
    if (rank === -1) violations.push(`${file} has no place in the order`);
    for (const { onlyType, target } of imports) {
      const [other, below = ""] = target.split("/");
      if (other !== "context" || below === step || (onlyType && below === "types.ts")) continue;
      // The vocabulary names values of the view; only as types.
      if (step === "types.ts" && onlyType && below === "view") continue;
      if (contextOrder.indexOf(below) >= rank) violations.push(`${file} -> ${target}`);
    }
  }
  expect(violations).toEqual([]);
});

test("commands, the offline model and ACP are loaded only when they are used", () => {
  const loaded = sources.filter(({ file, imports }) =>
    imports.some(({ onlyType, target }) => {
      const module = findModule(target);
      const late =
        module.startsWith("commands/") || ["model/offline", "headless/acp"].includes(module);
      return late && module !== findModule(file) && !onlyType;
    }),
  );
  expect(loaded.map(({ file }) => file)).toEqual([]);
});

/** The files that are loaded before the first frame, without what they import later. */
const firstFrame = [
  "app/main.ts",
  "run/start.ts",
  "app/interactive.ts",
  "model/anthropic/messages.ts",
  "ui/app.ts",
];

const scanners = {
  ts: new Bun.Transpiler({ loader: "ts" }),
  tsx: new Bun.Transpiler({ loader: "tsx" }),
};

test("the first frame waits for no large package", () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !/\.tsx?$/.test(file)) return;
    seen.add(file);
    const found = scanners[file.endsWith("x") ? "tsx" : "ts"].scanImports(
      sourceOf.get(file)?.text ?? "",
    );
    for (const { path, kind } of found) {
      if (kind !== "import-statement" || path.startsWith("node:")) continue;
      if (path.startsWith(".")) visit(relative(root, join(root, dirname(file), path)));
      else packages.add(path);
    }
  };
  for (const file of firstFrame) visit(file);
  expect([...packages].toSorted()).toEqual(["chalk", "ink", "ink-text-input", "react", "zod"]);
  // Nor for what the first message needs.
  expect(seen).not.toContain("agent/runner.ts");
  expect(seen).not.toContain("protocol/entry.ts");
});

test("the context engine is pure, with all that it imports", () => {
  const impure = /\bBun\.|\bprocess\.|\bDate\.now|new Date\(\)|Math\.random|from "(node:|bun)/;
  const seen = new Set<string>();
  const visit = (file: string): void => {
    const source = sourceOf.get(file);
    if (!source || seen.has(file)) return;
    seen.add(file);
    for (const { onlyType, target } of source.imports) if (!onlyType) visit(target);
  };
  for (const { file } of sources) if (file.startsWith("context/")) visit(file);
  expect([...seen].filter((file) => impure.test(sourceOf.get(file)?.text ?? ""))).toEqual([]);
});

test("no file is longer than 400 lines", () => {
  const long = sources.filter(({ text }) => text.split("\n").length - 1 > 400);
  expect(long.map(({ file }) => file)).toEqual([]);
});

test("no file imports itself through others, not even its types", () => {
  const finished = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (path.includes(file) || finished.has(file)) return;
    for (const { target } of sourceOf.get(file)?.imports ?? []) visit(target, [...path, file]);
    finished.add(file);
  };
  for (const { file } of sources) visit(file, []);
  expect(circles).toEqual([]);
});

/** The files of the tests, with their texts. */
const tests = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(import.meta.dir)].map((file) => ({
  file,
  text: readFileSync(join(import.meta.dir, file), "utf8"),
}));

test("properties are checked with the suite's seed", () => {
  const direct = tests.filter(({ text }) => /from "fast-chec[k]"/.test(text));
  expect(direct.map(({ file }) => file)).toEqual(["properties.ts"]);
});

test("no test has a time limit of its own: the suite has one, far beyond what a loaded machine needs", () => {
  const limit = /^(?:  )*(?:\}, ?|  )\d[\d_]{3,}(?:\);|,\n\);)$/m;
  const limited = tests.filter(({ file, text }) => file.includes(".test.") && limit.test(text));
  expect(limited.map(({ file }) => file)).toEqual([]);
});

/** The modules of `src/` that a test file imports, statically, with import() or as a mock. */
const testImport = /(?:\bfrom\s+|\bimport\s*\(?\s*|\bmock\.module\(\s*)"(\.[^"]+)"/g;

/** Every module of these rooms is a door. */
const openRooms = ["protocol/", "base/"];

test("tests import doors, and every door is used", () => {
  const unlisted: string[] = [];
  const unused = new Set(Object.keys(doors));
  expect([...unused].filter((door) => door.endsWith("/"))).toEqual(openRooms);
  for (const { file, text } of tests) {
    if (file.startsWith("lab/")) continue;
    for (const [, target = ""] of text.matchAll(testImport)) {
      const module = relative(root, join(import.meta.dir, dirname(file), target));
      const door = openRooms.find((room) => module.startsWith(room)) ?? module;
      unused.delete(door);
      if (module.startsWith("..") || Object.hasOwn(doors, door)) continue;
      unlisted.push(
        `test/${file} imports src/${module}, which is no door: test what it does through a ` +
          "module that test/doors.ts lists.",
      );
    }
  }
  expect({ unlisted, unused: [...unused] }).toEqual({ unlisted: [], unused: [] });
});
