/** Instructions of subfolders, and when they are sent again. */

import { afterAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { followFiles } from "../../../src/extensions/instructions/session-instructions.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { makePath, sessionWith } from "../../facts.ts";
import { hooksWith } from "../hooks/hooks-with.ts";

const root = await realpath(await mkdtemp(join(tmpdir(), "follow-")));
afterAll(() => rm(root, { recursive: true }));
await mkdir(join(root, "web"));
await Bun.write(join(root, "web/AGENTS.md"), "Pages are in French.");
await Bun.write(join(root, "web/page.txt"), "bonjour");
await Bun.write(join(root, "other.txt"), "hello");

test("rules are added once on each path, and each of its entries is read once", async () => {
  let looks = 0;
  const watched = (entry: Entry): Entry =>
    new Proxy(entry, { get: (of, key) => (looks++, Reflect.get(of, key)) });
  let path = makePath(sessionWith(), ...Array.from({ length: 500 }, () => sessionWith())).map(
    watched,
  );
  const hooks = hooksWith();
  const homes = { home: join(root, "h"), own: join(root, "o"), results: join(root, "r") };
  followFiles(hooks, { root, cwd: root, homes }, { ownRules: [], path: () => path });
  const touch = async (file: string) => {
    const call = { tool_name: "Read", tool_input: { file_path: join(root, file) } };
    const run = { signal: new AbortController().signal, emit: () => undefined };
    looks = 0;
    return (await hooks.run("PostToolUse", { ...call, tool_use_id: "t", tool_response: "" }, run))
      .facts;
  };
  expect(await touch("other.txt")).toEqual([]);
  expect(looks).toBe(0);
  const [fact] = await touch("web/page.txt");
  expect(JSON.stringify(fact)).toContain("Pages are in French.");
  expect(looks).toBeGreaterThan(400);
  if (fact) path.push(watched({ id: "told", parent: null, at: "", ...fact }));
  expect(await touch("web/page.txt")).toEqual([]);
  expect(looks).toBeLessThan(10);
  path = [...path];
  expect(await touch("web/page.txt")).toEqual([]);
  path = path.slice(0, 100);
  expect(await touch("web/page.txt")).toEqual(fact ? [fact] : []);
});
