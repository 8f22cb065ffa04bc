/** The modules of `src/` and which of them may import which. */

import { expect, test } from "bun:test";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dir, "..", "src");

/** The module of a file: its first folder; under `apps/`, its first two. Empty for `cli.tsx`. */
function moduleOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  return folders.slice(0, folders[0] === "apps" ? 2 : 1).join("/");
}

/**
 * What each module may import besides itself and packages; `type:` marks modules that may only be
 * imported with `import type`. `run` introduces the modules to one another; `cli` may import all of
 * them, and nothing imports it. A longer path takes precedence over its parent folder.
 */
const allowedImports: Record<string, string[]> = {
  protocol: [],
  disk: ["protocol"],
  config: ["protocol", "disk"],
  log: ["protocol", "disk"],
  context: ["protocol"],
  model: ["protocol"],
  tools: ["protocol", "disk"],
  hooks: ["protocol"],
  mcp: ["protocol", "disk", "config", "tools"],
  diagnostics: ["protocol", "disk", "tools"],
  project: ["protocol", "disk", "config", "tools", "type:hooks", "type:agent"],
  agent: ["protocol", "context", "type:hooks", "type:log", "type:model", "type:tools"],
  tui: ["protocol", "context", "config"],
  print: ["protocol"],
  control: ["protocol"],
  debug: ["protocol", "context", "type:agent", "type:model", "type:config"],
  run: [
    "protocol",
    "config",
    "log",
    "context",
    "model",
    "tools",
    "hooks",
    "mcp",
    "project",
    "agent",
    "debug",
    "diagnostics",
  ],
  headless: [
    "protocol",
    "config",
    "context",
    "model",
    "hooks",
    "mcp",
    "print",
    "control",
    "run",
    "agent",
    "log",
    "type:tools",
    "type:project",
  ],
  library: ["protocol", "context", "model", "agent", "config", "run"],
  "apps/offline": ["protocol", "type:model"],
  apps: ["protocol"],
  "apps/replay": ["protocol", "config", "context", "log", "model", "tools", "apps"],
  "apps/import": ["protocol", "config", "log", "tools", "run", "agent", "apps"],
  "apps/doctor": ["protocol", "config", "model", "tools", "project", "diagnostics"],
  "apps/session-page": ["protocol", "context", "model", "apps"],
  "apps/sessions": ["protocol", "config", "log", "run"],
  "apps/trust": ["protocol", "config", "project"],
  "apps/auth": ["protocol", "config"],
  "apps/mcp": ["protocol", "config", "mcp", "project"],
  "apps/acp": ["protocol", "config", "context", "log", "model", "agent", "print", "run"],
};

const importPattern = /^(?:import|export)\s+(type\s+)?[^;]*?from\s+"(\.[^"]+)"/gms;

async function sources(): Promise<string[]> {
  return Array.fromAsync(new Bun.Glob("**/*.{ts,tsx}").scan(root));
}

test("modules import only what they may", async () => {
  const violations: string[] = [];
  for (const file of await sources()) {
    const module = moduleOf(file);
    const text = await Bun.file(join(root, file)).text();
    for (const [, onlyType, target = ""] of text.matchAll(importPattern)) {
      const there = relative(root, join(root, dirname(file), target));
      const other = moduleOf(there);
      if (other === module || there === "../package.json") continue;
      if (file === "cli.tsx" || module === "cli") continue;
      const open = allowedImports[module] ?? [];
      const allowed = open.includes(other) || (onlyType && open.includes(`type:${other}`));
      if (!allowed) violations.push(`${file} -> ${there}`);
    }
  }
  expect(violations).toEqual([]);
});

test("apps are loaded only when they are used", async () => {
  const loaded: string[] = [];
  for (const file of await sources()) {
    const text = await Bun.file(join(root, file)).text();
    for (const [, onlyType, target = ""] of text.matchAll(importPattern)) {
      const module = moduleOf(relative(root, join(root, dirname(file), target)));
      if (module.startsWith("apps/") && module !== moduleOf(file) && !onlyType) loaded.push(file);
    }
  }
  expect(loaded).toEqual([]);
});

/** The files that are loaded before the first frame, without what they import later. */
const firstFrame = [
  "cli/main.ts",
  "run/start.ts",
  "cli/interactive.ts",
  "model/anthropic.ts",
  "tui/screen.ts",
];

test("the first frame waits for no large package", async () => {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (seen.has(file) || !file.endsWith(".ts")) return;
    seen.add(file);
    const found = transpiler.scanImports(await Bun.file(join(root, file)).text());
    for (const { path, kind } of found) {
      if (kind !== "import-statement" || path.startsWith("node:")) continue;
      // Only files that use Ink need JSX.
      if (path.startsWith(".") && !path.endsWith(".tsx"))
        await visit(relative(root, join(root, dirname(file), path)));
      else packages.add(path);
    }
  };
  for (const file of firstFrame) await visit(file);
  expect([...packages].toSorted()).toEqual(["zod"]);
});

test("the context engine is pure", async () => {
  const impure = /\bBun\.|\bprocess\.|\bDate\.now|new Date\(\)|Math\.random|from "(node:|bun)/;
  const found: string[] = [];
  for (const file of await sources()) {
    if (!file.startsWith("context/")) continue;
    if (impure.test(await Bun.file(join(root, file)).text())) found.push(file);
  }
  expect(found).toEqual([]);
});

test("no file is longer than 300 lines", async () => {
  const long: string[] = [];
  for (const file of await sources()) {
    const lines = (await Bun.file(join(root, file)).text()).split("\n").length - 1;
    if (lines > 300) long.push(`${file}: ${lines}`);
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
