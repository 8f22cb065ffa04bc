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

test("createAgent streams an answer and reads the meter; createContext measures and gives back what to send", async () => {
  await Bun.write(join(box.project, "README.md"), "# Lighthouse\n\nWarns ships.\n");
  const examples = [...manual.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
  const files = ['"mini-claude"', '"mini-claude/context"'].map((name, at) => {
    const code = examples.find((text) => text.includes(`from ${name}`)) ?? "";
    return Bun.write(join(box.project, `${at}.ts`), code);
  });
  await Promise.all(files);
  const both = 'await import("./0.ts"); console.log("---"); await import("./1.ts");';
  const { code, out, err } = await awaitResult(
    Bun.spawn([process.execPath, "--eval", both], {
      cwd: box.project,
      env: box.env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    }),
  );
  expect([code, err]).toEqual([0, ""]);
  const [agent = "", context] = out.split("---\n");
  expect(agent).toContain("Warns ships");
  expect(agent).toMatch(/session \d{8}-\d{6}-\w+: \d+ of 32000 tokens\n$/);
  expect(context).toMatch(/^\d+ null\n2\n$/);
});
