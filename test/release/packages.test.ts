/** The packages of a release without its builds, installed by npm, started by a shell alone, and their types. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  makeMainPackage,
  makeSystemPackage,
  changelogNotes,
  packPackage,
} from "../../src/release/packages.ts";
import { repositoryRoot } from "../../src/release/compile.ts";
import { hostTarget, releaseTargets } from "../../src/release/targets.ts";

const root = mkdtempSync(join(tmpdir(), "release-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let made: Promise<string> | null = null;

/** The package without the programs of a system; its declarations take the compiler some seconds. */
const mainPackage = (): Promise<string> =>
  (made ??= makeMainPackage([], join(root, "main")).then(() => join(root, "main")));

/** Stands for the compiled program. */
const stub = `#!/bin/sh
case $1 in
  wait) trap 'exit 7' TERM; echo started; while :; do sleep 0.01; done ;;
  killed) kill -9 $$ ;;
  variables) cat /proc/$PPID/environ; printf '|%s' "$ANTHROPIC_API_KEY" ;;
  *) printf '%s|' "$@"; exit 3 ;;
esac
`;

const prefix = join(root, "prefix");

async function run(command: string[]) {
  const child = Bun.spawn(command, { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { code, out, err };
}

describe.skipIf(Bun.which("npm") === null)("installed by npm", () => {
  /** The link that npm made. */
  const launcher = join(prefix, "bin/mini-claude");
  const start = (...args: string[]) => [launcher, ...args];

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
  });

  test("the launcher passes arguments on, and the exit code back", async () => {
    expect(await run(start("a b", "--flag", ""))).toEqual({
      code: 3,
      out: "a b|--flag||",
      err: "",
    });
  });

  test.skipIf(process.platform !== "linux")(
    "a key reaches the program, and no launcher stays behind whose /proc shows it",
    async () => {
      const env = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "sk-secret", OTHER: "x" };
      const child = Bun.spawn(start("variables"), { env, stdout: "pipe" });
      const said = await child.stdout.text();
      expect(said.slice(0, said.lastIndexOf("|"))).not.toContain("sk-secret");
      expect(said.slice(said.lastIndexOf("|") + 1)).toBe("sk-secret");
    },
  );

  test("it starts by a relative path where CDPATH is set", async () => {
    for (const folder of ["bin", "lib/node_modules/mini-claude/bin"])
      mkdirSync(join(root, "elsewhere/prefix", folder), { recursive: true });
    const env = { PATH: "/usr/bin:/bin", CDPATH: join(root, "elsewhere") };
    const child = Bun.spawn(["sh", "prefix/bin/mini-claude", "a"], { cwd: root, env });
    expect(await child.stdout.text()).toBe("a|");
  });

  test("it starts where there is neither Node nor Bun", async () => {
    const child = Bun.spawn(start("a"), { cwd: root, env: { PATH: "/usr/bin:/bin" } });
    expect(await child.stdout.text()).toBe("a|");
  });

  test("a signal reaches the program, and one that ends it is reported as shells do", async () => {
    const child = Bun.spawn(start("wait"), { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
    const reader = child.stdout.getReader();
    await reader.read();
    child.kill("SIGTERM");
    expect(await child.exited).toBe(7);
    expect((await run(start("killed"))).code).toBe(137);
  });

  test("without a build for this system it says so in a sentence", async () => {
    rmSync(join(prefix, `lib/node_modules/mini-claude-${hostTarget().name}`), { recursive: true });
    const { code, err } = await run(start());
    expect([code, err]).toEqual([1, expect.stringContaining("mini-claude: there is no build for")]);
  });
});

describe("the launcher chooses the build of the system", () => {
  const top = join(root, "top");
  const main = join(top, "node_modules/mini-claude");
  /** Beside the launcher's package, as npx and pnpm install them, or inside it. */
  const places = [join(top, "node_modules"), join(main, "node_modules")];
  const tools = join(root, "tools");

  beforeAll(() => {
    mkdirSync(join(main, "bin"), { recursive: true });
    copyFileSync(
      join(import.meta.dir, "../../src/release/launcher.sh"),
      join(main, "bin/mini-claude"),
    );
    mkdirSync(tools);
    for (const [tool, answer] of [
      ["uname", "$UNAME"],
      ["ldd", "$LDD"],
    ])
      writeFileSync(join(tools, tool ?? ""), `#!/bin/sh\necho "${answer}"\n`, { mode: 0o755 });
  });

  test.each([
    ["Linux x86_64", "libc.so.6", ["linux-x64", "linux-x64-musl"], "linux-x64"],
    ["Linux x86_64", "ld-musl-x86_64.so.1", ["linux-x64", "linux-x64-musl"], "linux-x64-musl"],
    ["Linux x86_64", "", ["linux-x64-musl"], "linux-x64-musl"],
    ["Linux aarch64", "", ["linux-x64", "linux-arm64"], "linux-arm64"],
    ["Darwin arm64", "", ["darwin-arm64"], "darwin-arm64"],
    ["Darwin arm64", "", ["darwin-x64"], "darwin-x64"],
    ["MINGW64_NT-10.0-22631 x86_64", "", ["windows-x64"], "windows-x64"],
    ["FreeBSD amd64", "", ["linux-x64"], null],
  ])("on %s, with %s and %p: %s", async (uname, ldd, builds, wanted) => {
    for (const [at, place] of places.entries()) {
      for (const build of builds) {
        const bin = join(place, `mini-claude-${build}`, "bin");
        mkdirSync(bin, { recursive: true });
        const program = join(bin, build.startsWith("windows") ? "mini-claude.exe" : "mini-claude");
        writeFileSync(program, `#!/bin/sh\necho ${build} ${at} "$@"\n`, { mode: 0o755 });
      }
      for (const shell of ["sh", "dash", "bash", "ksh", "zsh"].filter((name) => Bun.which(name))) {
        const child = Bun.spawn([shell, join(main, "bin/mini-claude"), "a b"], {
          env: { PATH: `${tools}:/usr/bin:/bin`, UNAME: uname, LDD: ldd },
          stderr: "ignore",
        });
        const out = await child.stdout.text();
        expect([shell, out]).toEqual([shell, wanted === null ? "" : `${wanted} ${at} a b\n`]);
      }
    }
    for (const place of places)
      for (const build of builds) rmSync(join(place, `mini-claude-${build}`), { recursive: true });
  });
});

test("on Windows the package of its build has the command, which no shim starts with a shell", () => {
  const target = releaseTargets.find(({ os }) => os === "win32");
  if (!target) throw new Error("There is no build for Windows.");
  const [programs, folder] = [join(root, "windows-programs"), join(root, "windows")];
  mkdirSync(programs);
  writeFileSync(join(programs, "mini-claude.exe"), "MZ");
  makeSystemPackage(target, programs, folder);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  expect(bin).toEqual({ "mini-claude": "bin/mini-claude.exe" });
  expect(existsSync(join(folder, bin["mini-claude"]))).toBe(true);
});

test("a package is installed only where its build can run", () => {
  for (const { name, os, cpu, libc } of releaseTargets) {
    expect(name).toBe(`${os === "win32" ? "windows" : os}-${cpu}${libc === "musl" ? "-musl" : ""}`);
  }
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
