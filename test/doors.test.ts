/** The rooms of `src/` and the doors between them. A new import through a wall fails here. */

import { expect, test } from "bun:test";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dir, "..", "src");

/** The room of a file: its first folder; under `apps/`, its first two. Empty for `cli.tsx`. */
function roomOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  return folders.slice(0, folders[0] === "apps" ? 2 : 1).join("/");
}

/**
 * What each room may import beside itself and packages; `type:` rooms only by `import type`.
 * `wiring` introduces the rooms to one another, so every door is open to it, and none leads in.
 */
const doors: Record<string, string[]> = {
  protocol: [],
  config: ["protocol"],
  log: ["protocol"],
  context: ["protocol"],
  model: ["protocol"],
  tools: ["protocol"],
  agent: ["protocol", "context", "type:log", "type:model", "type:tools"],
  replay: ["protocol", "context", "type:log"],
  import: ["protocol", "type:log"],
  tui: ["protocol", "context", "config"],
  print: ["protocol"],
  "apps/offline": ["protocol", "type:model"],
};
const everywhere = ["wiring"];

const importPattern = /^(?:import|export)\s+(type\s+)?[^;]*?from\s+"(\.[^"]+)"/gms;

async function sources(): Promise<string[]> {
  return Array.fromAsync(new Bun.Glob("**/*.{ts,tsx}").scan(root));
}

test("every import goes through a door", async () => {
  const walls: string[] = [];
  for (const file of await sources()) {
    const room = roomOf(file);
    const text = await Bun.file(join(root, file)).text();
    for (const [, onlyType, target = ""] of text.matchAll(importPattern)) {
      const there = relative(root, join(root, dirname(file), target));
      const other = roomOf(there);
      if (other === room) continue;
      if (file === "cli.tsx" || everywhere.includes(room)) continue;
      const open = doors[room] ?? [];
      const allowed = open.includes(other) || (onlyType && open.includes(`type:${other}`));
      if (!allowed) walls.push(`${file} -> ${there}`);
    }
  }
  expect(walls).toEqual([]);
});

test("what is not the agent is loaded only when it is used", async () => {
  const loaded: string[] = [];
  for (const file of await sources()) {
    const text = await Bun.file(join(root, file)).text();
    for (const [, onlyType, target = ""] of text.matchAll(importPattern)) {
      const room = roomOf(relative(root, join(root, dirname(file), target)));
      if (room.startsWith("apps/") && room !== roomOf(file) && !onlyType) loaded.push(file);
    }
  }
  expect(loaded).toEqual([]);
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
