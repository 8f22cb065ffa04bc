/** The types of the packed library, as a program with no other package and a strict compiler sees them. */

import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeMainPackage } from "../../src/release/packages.ts";
import { repositoryRoot } from "../../src/release/compile.ts";

const root = mkdtempSync(join(tmpdir(), "types-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const program = `import { createAgent, type AgentEvent } from "mini-claude";
import { createContext } from "mini-claude/context";

const agent = await createAgent({ permissionMode: "plan", approve: async () => ({ allow: false }) });
for await (const event of agent.prompt("hi")) {
  const seen: AgentEvent = event;
  if (seen.type === "entry" && seen.entry.type === "cut") console.log(seen.entry.price.usedAfter);
}
const context = createContext({ model: "claude-sonnet-5-5" });
const used: number = context.meter().usedTokens;
const wrong: string = context.meter().usedTokens;
console.log(used, wrong, agent.session.length);
`;

test.each([
  { module: "NodeNext", moduleResolution: "NodeNext" },
  { module: "ESNext", moduleResolution: "bundler" },
])("a small program is checked with %o", async (modules) => {
  const at = join(root, modules.module);
  const installed = join(at, "node_modules/mini-claude");
  mkdirSync(installed, { recursive: true });
  cpSync(await packed(), installed, { recursive: true });
  const compilerOptions = {
    ...modules,
    target: "ES2024",
    lib: ["ESNext", "DOM"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  writeFileSync(join(at, "package.json"), '{"type":"module"}');
  writeFileSync(join(at, "program.ts"), program);
  writeFileSync(
    join(at, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["program.ts"] }),
  );
  const tsc = join(repositoryRoot, "node_modules/typescript/bin/tsc");
  const child = Bun.spawn([process.execPath, tsc, "--pretty", "false"], { cwd: at });
  const errors = (await child.stdout.text()).trim().split("\n");
  expect(errors).toEqual([
    "program.ts(11,7): error TS2322: Type 'number' is not assignable to type 'string'.",
  ]);
});

let made: Promise<string> | null = null;

/** The package without the programs of a system. */
const packed = (): Promise<string> =>
  (made ??= makeMainPackage([], join(root, "package")).then(() => join(root, "package")));
