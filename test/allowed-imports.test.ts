/** The rooms of `src/` and which of them may import which. */

import { expect, test } from "bun:test";
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
const allowedImports: Record<string, string[]> = {
  protocol: [],
  base: [],
  config: ["protocol"],
  log: ["protocol"],
  context: ["protocol"],
  model: ["protocol"],
  "model/offline": ["protocol", "type:model"],
  docs: ["config"],
  trust: ["protocol", "config", "tools", "extensions"],
  snapshots: ["protocol", "log"],
  tools: ["protocol", "context", "docs", "trust", "snapshots"],
  extensions: ["protocol", "config", "tools", "trust", "type:agent"],
  agent: [
    "protocol",
    "context",
    "type:extensions",
    "type:log",
    "type:model",
    "type:snapshots",
    "type:tools",
  ],
  ui: ["protocol", "context", "config", "docs"],
  "headless/print": ["protocol", "type:context"],
  "headless/control": ["protocol"],
  run: [
    "protocol",
    "config",
    "log",
    "context",
    "model",
    "tools",
    "extensions",
    "agent",
    "snapshots",
    "trust",
  ],
  headless: [
    "protocol",
    "config",
    "context",
    "model",
    "extensions",
    "headless/print",
    "headless/control",
    "run",
    "agent",
    "log",
    "snapshots",
    "type:tools",
  ],
  "headless/library": ["protocol", "context", "model", "agent", "config", "run", "headless"],
  "headless/acp": [
    "protocol",
    "config",
    "context",
    "log",
    "model",
    "agent",
    "headless/print",
    "headless",
    "run",
  ],
  "commands/import": ["protocol", "config", "log", "tools", "agent"],
  "commands/doctor": ["protocol", "config", "model", "tools", "extensions", "trust"],
  "commands/session-page": ["protocol", "context", "model"],
  "commands/sessions": ["protocol", "config", "log"],
  "commands/trust": ["protocol", "config", "extensions", "trust"],
  "commands/auth": ["protocol", "config"],
  "commands/update": ["config", "trust"],
  "commands/mcp": ["protocol", "config", "extensions", "trust"],
};

/** The only file of `app/` that other rooms import. */
const door = "run/open-run.ts";

const importPattern = /^(?:import|export)\s+(type\s+)?[^;]*?from\s+"(\.[^"]+)"/gms;

async function sources(): Promise<string[]> {
  return Array.fromAsync(new Bun.Glob("**/*.{ts,tsx}").scan(root));
}

test("rooms import only what they may", async () => {
  const violations: string[] = [];
  for (const file of await sources()) {
    const module = findModule(file);
    const text = await Bun.file(join(root, file)).text();
    for (const [, onlyType, target = ""] of text.matchAll(importPattern)) {
      const there = relative(root, join(root, dirname(file), target));
      const other = findModule(there);
      if (other === module || there === "../package.json") continue;
      if (file === "cli.tsx" || module === "app") continue;
      const open = allowedImports[module] ?? [];
      if (other === "run" && there !== door) violations.push(`${file} -> ${there}, not ${door}`);
      const allowed =
        other === "base" || open.includes(other) || (onlyType && open.includes(`type:${other}`));
      if (!allowed) violations.push(`${file} -> ${there}`);
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

test("in context, every step imports only from the steps below it", async () => {
  const violations: string[] = [];
  for (const file of await sources()) {
    const [room, step = ""] = file.split("/");
    if (room !== "context" || !file.endsWith(".ts")) continue;
    const rank = contextOrder.indexOf(step);
    if (rank === -1) violations.push(`${file} has no place in the order`);
    const text = await Bun.file(join(root, file)).text();
    for (const [, onlyType, target = ""] of text.matchAll(importPattern)) {
      const [other, below = ""] = relative(root, join(root, dirname(file), target)).split("/");
      if (other !== "context" || below === step || (onlyType && below === "types.ts")) continue;
      // The vocabulary names values of the view; only as types.
      if (step === "types.ts" && onlyType && below === "view") continue;
      if (contextOrder.indexOf(below) >= rank) violations.push(`${file} -> ${target}`);
    }
  }
  expect(violations).toEqual([]);
});

test("commands, the offline model and ACP are loaded only when they are used", async () => {
  const loaded: string[] = [];
  for (const file of await sources()) {
    const text = await Bun.file(join(root, file)).text();
    for (const [, onlyType, target = ""] of text.matchAll(importPattern)) {
      const module = findModule(relative(root, join(root, dirname(file), target)));
      const late =
        module.startsWith("commands/") || ["model/offline", "headless/acp"].includes(module);
      if (late && module !== findModule(file) && !onlyType) loaded.push(file);
    }
  }
  expect(loaded).toEqual([]);
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

test("the first frame waits for no large package", async () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (seen.has(file) || !/\.tsx?$/.test(file)) return;
    seen.add(file);
    const found = scanners[file.endsWith("x") ? "tsx" : "ts"].scanImports(
      await Bun.file(join(root, file)).text(),
    );
    for (const { path, kind } of found) {
      if (kind !== "import-statement" || path.startsWith("node:")) continue;
      if (path.startsWith(".")) await visit(relative(root, join(root, dirname(file), path)));
      else packages.add(path);
    }
  };
  for (const file of firstFrame) await visit(file);
  expect([...packages].toSorted()).toEqual(["chalk", "ink", "ink-text-input", "react", "zod"]);
  // Nor for what the first message needs.
  expect(seen).not.toContain("agent/runner.ts");
  expect(seen).not.toContain("protocol/entry.ts");
});

test("the context engine is pure, with all that it imports", async () => {
  const impure = /\bBun\.|\bprocess\.|\bDate\.now|new Date\(\)|Math\.random|from "(node:|bun)/;
  const found: string[] = [];
  const seen = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = await Bun.file(join(root, file)).text();
    if (impure.test(text)) found.push(file);
    for (const [, onlyType, target = ""] of text.matchAll(importPattern))
      if (!onlyType) await visit(relative(root, join(root, dirname(file), target)));
  };
  for (const file of await sources()) if (file.startsWith("context/")) await visit(file);
  expect(found).toEqual([]);
});

test("no file is longer than 400 lines", async () => {
  const long: string[] = [];
  for (const file of await sources()) {
    const lines = (await Bun.file(join(root, file)).text()).split("\n").length - 1;
    if (lines > 400) long.push(`${file}: ${lines}`);
  }
  expect(long).toEqual([]);
});

test("no file imports itself through others, not even its types", async () => {
  const imports = new Map<string, string[]>();
  for (const file of await sources()) {
    const text = await Bun.file(join(root, file)).text();
    const targets = [...text.matchAll(importPattern)].map(([, , target = ""]) =>
      relative(root, join(root, dirname(file), target)),
    );
    imports.set(file, targets);
  }
  const finished = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (path.includes(file) || finished.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    finished.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  expect(circles).toEqual([]);
});

test("properties are checked with the suite's seed", async () => {
  const direct: string[] = [];
  for await (const file of new Bun.Glob("**/*.ts").scan(import.meta.dir)) {
    const text = await Bun.file(join(import.meta.dir, file)).text();
    if (/from "fast-chec[k]"/.test(text)) direct.push(file);
  }
  expect(direct).toEqual(["properties.ts"]);
});

test("no test has a time limit of its own: the suite has one, far beyond what a loaded machine needs", async () => {
  const limited: string[] = [];
  for await (const file of new Bun.Glob("**/*.test.{ts,tsx}").scan(import.meta.dir)) {
    const text = await Bun.file(join(import.meta.dir, file)).text();
    if (/^(?:  )*(?:\}, ?|  )\d[\d_]{3,}(?:\);|,\n\);)$/m.test(text)) limited.push(file);
  }
  expect(limited).toEqual([]);
});

/** The modules of `src/` that a test file imports, statically, with import() or as a mock. */
const testImport = /(?:\bfrom\s+|\bimport\s*\(?\s*|\bmock\.module\(\s*)"(\.[^"]+)"/g;

/** Every module of these rooms is a door. */
const openRooms = ["protocol/", "base/"];

test("tests import doors, and every door is used", async () => {
  const unlisted: string[] = [];
  const unused = new Set(Object.keys(doors));
  expect([...unused].filter((door) => door.endsWith("/"))).toEqual(openRooms);
  for await (const file of new Bun.Glob("**/*.{ts,tsx}").scan(import.meta.dir)) {
    if (file.startsWith("lab/")) continue;
    const text = await Bun.file(join(import.meta.dir, file)).text();
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
