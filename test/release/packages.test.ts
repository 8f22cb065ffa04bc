/** The packages of a release without its builds, installed by npm, started by Node and by Bun, and their types. */

import { beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  makeMainPackage,
  makeSystemPackage,
  changelogNotes,
  packPackage,
} from "../../src/release/packages.ts";
import { hostTarget } from "../../src/release/compile.ts";
import { awaitResult } from "../bin.ts";
import { testFolder } from "../folder.ts";

const root = testFolder("release");

let made: Promise<string> | null = null;

/** The package without the programs of a system; its declarations take the compiler some seconds. */
const mainPackage = (): Promise<string> =>
  (made ??= makeMainPackage([], join(root, "main")).then(() => join(root, "main")));

/** Stands for the compiled program. */
const stub = `#!/bin/sh
case $1 in
  wait) trap 'exit 7' TERM; echo started; while :; do sleep 0.01; done ;;
  killed) kill -9 $$ ;;
  *) printf '%s|' "$@"; exit 3 ;;
esac
`;

const prefix = join(root, "prefix");

const run = (command: string[], cwd = root) =>
  awaitResult(Bun.spawn(command, { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" }));

describe.skipIf(Bun.which("npm") === null)("installed by npm", () => {
  /** The link that npm made. */
  const link = join(prefix, "bin/mini-claude");
  const launcher = join(prefix, "lib/node_modules/mini-claude/bin/mini-claude.cjs");
  beforeAll(async () => {
    const programs = join(root, "programs");
    mkdirSync(programs);
    for (const name of ["mini-claude", "rg"])
      writeFileSync(join(programs, name), stub, { mode: 0o755 });
    const target = hostTarget();
    makeSystemPackage(target, programs, join(root, "system"));
    const tarballs = [await packPackage(await mainPackage(), root)];
    tarballs.push(await packPackage(join(root, "system"), root));
    const flags = ["--global", `--prefix=${prefix}`, "--offline", "--no-audit", "--no-fund"];
    const installed = await run(["npm", "install", ...flags, ...tarballs]);
    expect([installed.code, installed.err]).toEqual([0, ""]);
    expect(statSync(launcher).mode & 0o777).toBe(0o755);
  });

  describe.each([
    ["Node", () => [link]],
    ["Node that cannot become another program", () => pretending("process.execve = undefined;")],
    ["Bun alone", () => [process.execPath, link]],
  ])("started by %s", (_name, command) => {
    const start = (...args: string[]) => [...command(), ...args];

    test("it passes arguments on, and the exit code back", async () => {
      expect(await run(start("a b", "--flag", ""))).toEqual({
        code: 3,
        out: "a b|--flag||",
        err: "",
      });
    });

    test("it passes a signal on, and ends by the one that ended the program", async () => {
      const child = Bun.spawn(start("wait"), { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
      const reader = child.stdout.getReader();
      await reader.read();
      child.kill("SIGTERM");
      expect(await child.exited).toBe(7);
      const killed = Bun.spawn(start("killed"), { stderr: "ignore" });
      await killed.exited;
      expect(killed.signalCode).toBe("SIGKILL");
    });
  });

  /** Node, told that it runs on another system. */
  function pretending(statement: string): string[] {
    const file = join(root, "pretend.cjs");
    writeFileSync(file, statement);
    return ["node", "--require", file, link];
  }

  test.each([
    ["win32", "x64", ["windows-x64"], "windows-x64"],
    ["darwin", "arm64", ["darwin-x64"], "darwin-x64"],
    ["darwin", "x64", ["darwin-arm64", "darwin-x64"], "darwin-x64"],
    ["linux", "arm64", ["linux-x64", "linux-arm64"], "linux-arm64"],
    ["linux", "riscv64", ["linux-x64-musl"], null],
  ])("on %s %s it chooses of %p: %s", async (platform, arch, builds, wanted) => {
    const folders = builds.map((build) =>
      join(prefix, `lib/node_modules/mini-claude/node_modules/mini-claude-${build}`),
    );
    for (const [at, folder] of folders.entries()) {
      mkdirSync(join(folder, "bin"), { recursive: true });
      for (const file of ["mini-claude", "mini-claude.exe"])
        writeFileSync(join(folder, "bin", file), `#!/bin/sh\necho ${builds[at]}\n`, {
          mode: 0o755,
        });
    }
    const { code, out, err } = await run(
      pretending(`for (const [key, value] of [["platform", "${platform}"], ["arch", "${arch}"]])
        Object.defineProperty(process, key, { value });`),
    );
    for (const folder of folders) rmSync(folder, { recursive: true });
    if (wanted === null) {
      expect(code).toBe(1);
      expect(err).toContain("mini-claude: there is no build for");
    } else expect(out).toBe(`${wanted}\n`);
  });
});

test("the notes are the version's section of the changelog", () => {
  const changelog = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0\n\n- first\n";
  expect(changelogNotes("0.1.0", changelog)).toBe("## 0.1.0\n\n- first\n");
  expect(changelogNotes("0.2.0", changelog)).toBe("## Unreleased\n\n- new\n");
  expect(() => changelogNotes("0.2.0", "# Changelog\n")).toThrow("has no section 0.2.0");
});

/** A program with no other package and a strict compiler. */
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
  cpSync(await mainPackage(), installed, { recursive: true });
  const compilerOptions = {
    ...modules,
    target: "ES2024",
    lib: ["ESNext", "DOM"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    noEmit: true,
  };
  writeFileSync(join(at, "package.json"), '{"type":"module"}');
  writeFileSync(join(at, "program.ts"), program);
  writeFileSync(
    join(at, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["program.ts"] }),
  );
  const tsc = join(import.meta.dir, "../../node_modules/typescript/bin/tsc");
  const { out } = await run([process.execPath, tsc, "--pretty", "false"], at);
  expect(out.trim()).toBe(
    "program.ts(11,7): error TS2322: Type 'number' is not assignable to type 'string'.",
  );
});
