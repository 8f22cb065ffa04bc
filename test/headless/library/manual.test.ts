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

await symlink(
  join(root, "node_modules", "bun-types"),
  join(box.project, "node_modules", "bun-types"),
);

const manual = await Bun.file(join(root, "src/docs/headless.md")).text();

function exampleWith(imported: string): string {
  const [, code = ""] =
    [...manual.matchAll(/```ts\n([\s\S]*?)```/g)].find(([text]) => text.includes(imported)) ?? [];
  return code;
}

async function run(imported: string) {
  const file = join(box.project, "example.ts");
  await Bun.write(file, exampleWith(imported));
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

test("both are typed, for a program with a configuration of its own", async () => {
  const compilerOptions = {
    target: "ESNext",
    module: "Preserve",
    moduleResolution: "bundler",
    lib: ["ESNext"],
    types: ["bun-types"],
    jsx: "react-jsx",
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    skipLibCheck: true,
  };
  const files = ["typed.ts"];
  await Bun.write(join(box.project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const wrong = "const session: number = agent.session;\nconst used: string = context.meter();\n";
  const code = [
    exampleWith('from "mini-claude"'),
    exampleWith('from "mini-claude/context"'),
    wrong,
  ];
  await Bun.write(join(box.project, "typed.ts"), code.join("\n"));
  const check = Bun.spawn([process.execPath, "check"], {
    cwd: box.project,
    env: { ...box.env, NO_COLOR: "1" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const { out, err } = await awaitResult(check);
  const errors = `${out}${err}`.split("\n").filter((line) => line.includes("error TS"));
  expect(errors).toEqual([
    expect.stringContaining("Type 'string' is not assignable to type 'number'"),
    expect.stringContaining("is not assignable to type 'string'"),
  ]);
});
