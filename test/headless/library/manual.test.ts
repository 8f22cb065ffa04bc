/** The manual's examples run, in a folder that has mini-claude installed. */

import { afterAll, expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { awaitResult, sandbox } from "../../bin.ts";

const root = join(import.meta.dir, "../../..");
const box = await sandbox("library");
afterAll(box.remove);
await mkdir(join(box.project, "node_modules"));
await symlink(root, join(box.project, "node_modules", "mini-claude"));

const manual = await Bun.file(join(root, "src/docs/headless.md")).text();

/** Runs the example that imports this. */
async function run(imported: string) {
  const [, code = ""] =
    [...manual.matchAll(/```ts\n([\s\S]*?)```/g)].find(([text]) => text.includes(imported)) ?? [];
  const file = join(box.project, "example.ts");
  await Bun.write(file, code);
  return awaitResult(
    Bun.spawn([process.execPath, file], {
      cwd: box.project,
      env: box.env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    }),
  );
}

test("createAgent: streams an answer and reads the meter", async () => {
  await Bun.write(join(box.project, "README.md"), "# Lighthouse\n\nWarns ships.\n");
  const { code, out, err } = await run('from "mini-claude"');
  expect(err).toBe("");
  expect(code).toBe(0);
  expect(out).toContain("Warns ships");
  expect(out).toMatch(/session \d{8}-\d{6}-\w+: \d+ of 32000 tokens\n$/);
});

test("createContext: measures and gives back what to send", async () => {
  const { code, out, err } = await run('from "mini-claude/context"');
  expect(err).toBe("");
  expect(code).toBe(0);
  expect(out).toMatch(/^\d+ null\n2\n$/);
});
