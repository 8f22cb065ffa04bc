/** The packages of a release without its builds, installed by npm, started by Node and by a shell, and their types. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  makeLauncher,
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

async function run(command: string[], cwd = root) {
  const child = Bun.spawn(command, { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { code, out, err };
}

describe.skipIf(Bun.which("npm") === null)("installed by npm", () => {
  /** The link that npm made. */
  const link = join(prefix, "bin/mini-claude");
  const launcher = join(prefix, "lib/node_modules/mini-claude/bin/mini-claude.cjs");
  const firstLine = () => readFileSync(launcher, "utf8").split("\n", 1)[0];

  /** As it was installed: with the inode that a store of packages would share. */
  function reinstall(): void {
    rmSync(launcher, { force: true });
    writeFileSync(launcher, makeLauncher(), { mode: 0o755 });
  }

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
    expect(firstLine()).toBe("#!/usr/bin/env node");
  });

  /** Each kind of start, from the file that it finds. */
  const starts = [
    ["the first start, by Node", () => [link], reinstall],
    ["a later start, by a shell", () => [link], () => useShell(launcher)],
    ["a start by a command that names Node", () => ["node", link], () => useShell(launcher)],
    ["a start by Bun alone", () => [process.execPath, link], reinstall],
  ] as const;

  describe.each(starts)("%s", (_name, command, prepare) => {
    const start = (...args: string[]) => [...command(), ...args];
    beforeEach(prepare);

    test("passes arguments on, and the exit code back", async () => {
      expect(await run(start("a b", "--flag", ""))).toEqual({
        code: 3,
        out: "a b|--flag||",
        err: "",
      });
    });

    test.skipIf(process.platform !== "linux")(
      "hands over a key, which /proc does not show of a launcher that waits",
      async () => {
        const env = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "sk-secret", OTHER: "x" };
        const child = Bun.spawn(start("variables"), { env, stdout: "pipe" });
        const said = await child.stdout.text();
        expect(said.slice(0, said.lastIndexOf("|"))).not.toContain("sk-secret");
        expect(said.slice(said.lastIndexOf("|") + 1)).toBe("sk-secret");
      },
    );

    test("passes a signal on, and ends by the one that ended the program", async () => {
      const child = Bun.spawn(start("wait"), { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
      const reader = child.stdout.getReader();
      await reader.read();
      child.kill("SIGTERM");
      expect(await child.exited).toBe(7);
      const killed = Bun.spawn(start("killed"), { stderr: "ignore" });
      await killed.exited;
      expect(killed.signalCode).toBe("SIGKILL");
    });

    test("leaves a file that the next start runs without Node", async () => {
      await run(start());
      expect(firstLine()).toBe("#!/bin/sh");
      expect(statSync(launcher).mode & 0o777).toBe(0o755);
      expect(readdirSync(dirname(launcher))).toEqual(["mini-claude.cjs"]);
      const env = { PATH: "/usr/bin:/bin" };
      const child = Bun.spawn([link, "a"], { cwd: root, env });
      expect(await child.stdout.text()).toBe("a|");
    });
  });

  test("a start by a relative path works where CDPATH is set", async () => {
    useShell(launcher);
    for (const folder of ["bin", "lib/node_modules/mini-claude/bin"])
      mkdirSync(join(root, "elsewhere/prefix", folder), { recursive: true });
    const env = { PATH: "/usr/bin:/bin", CDPATH: join(root, "elsewhere") };
    const child = Bun.spawn(["sh", "prefix/bin/mini-claude", "a"], { cwd: root, env });
    expect(await child.stdout.text()).toBe("a|");
    const cwd = dirname(launcher);
    expect((await run(["sh", "mini-claude.cjs", "b"], cwd)).out).toBe("b|");
  });

  test("first starts at the same time leave one whole file", async () => {
    reinstall();
    const ended = await Promise.all(Array.from({ length: 4 }, () => run(["node", link, "a"])));
    expect(ended.map(({ out }) => out)).toEqual(ended.map(() => "a|"));
    expect(readFileSync(launcher, "utf8")).toBe(makeLauncher().replace(/^.*/, "#!/bin/sh"));
    expect(readdirSync(dirname(launcher))).toEqual(["mini-claude.cjs"]);
  });

  test("the copy in a package manager's store stays as it was published", async () => {
    reinstall();
    const store = join(root, "store");
    linkSync(launcher, store);
    await run(["node", link]);
    expect(firstLine()).toBe("#!/bin/sh");
    expect(readFileSync(store, "utf8")).toBe(makeLauncher());
  });

  /** Node, told that it runs as another user or on another system. */
  const pretending = (statement: string): string[] => {
    const file = join(root, "pretend.cjs");
    writeFileSync(file, statement);
    return ["node", "--require", file, link];
  };

  test.each([
    ["another user's", "process.geteuid = () => 4242;"],
    ["read-only", `require("node:fs").openSync = () => { throw new Error("EROFS"); };`],
    [
      "where only require finds the build",
      `const { existsSync } = require("node:fs");
      require("node:fs").existsSync = (path) => !path.endsWith("/bin/mini-claude") && existsSync(path);`,
    ],
  ])("a launcher that is %s starts it, and stays as it is", async (_what, statement) => {
    reinstall();
    expect(await run([...pretending(statement), "a"])).toEqual({ code: 3, out: "a|", err: "" });
    expect(readFileSync(launcher, "utf8")).toBe(makeLauncher());
    expect(readdirSync(dirname(launcher))).toEqual(["mini-claude.cjs"]);
  });

  test("on Windows Node starts the program each time, and the file stays as it is", async () => {
    reinstall();
    const bin = join(prefix, "lib/node_modules/mini-claude-windows-x64/bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "mini-claude.exe"), stub, { mode: 0o755 });
    const windows = pretending(
      `for (const [key, value] of [["platform", "win32"], ["arch", "x64"]])
        Object.defineProperty(process, key, { value });`,
    );
    for (let round = 0; round < 2; round++) {
      expect(await run([...windows, "a b", ""])).toEqual({ code: 3, out: "a b||", err: "" });
      expect(readFileSync(launcher, "utf8")).toBe(makeLauncher());
    }
    // What a key of the console means reaches both; the launcher waits for the program.
    const child = Bun.spawn([...windows, "wait"], { stdin: "ignore", stdout: "pipe" });
    await child.stdout.getReader().read();
    child.kill("SIGINT");
    const { PATH } = process.env;
    const pid = (await run(["pgrep", "-P", String(child.pid)])).out.trim();
    Bun.spawnSync(["kill", "-TERM", pid], { env: { PATH } });
    expect(await child.exited).toBe(7);
  });

  test("npm's command for Windows calls Node", async () => {
    reinstall();
    const npm = dirname(dirname(realpathSync(Bun.which("npm") ?? "")));
    const script = `require(process.argv[1])(process.argv[2], process.argv[3])`;
    const shim = join(root, "shims/mini-claude");
    const made = await run(["node", "-e", script, `${npm}/node_modules/cmd-shim`, launcher, shim]);
    expect(made.err).toBe("");
    expect(readFileSync(`${shim}.cmd`, "utf8")).toContain('SET "_prog=node"');
    expect(readFileSync(`${shim}.ps1`, "utf8")).toContain("node$exe");
  });

  test.each(["node", "sh"])(
    "without a build for this system %s says so in a sentence",
    async (by) => {
      rmSync(join(prefix, `lib/node_modules/mini-claude-${hostTarget().name}`), {
        recursive: true,
        force: true,
      });
      const { code, err } = await run([by, link]);
      expect([code, err]).toEqual([
        1,
        expect.stringContaining("mini-claude: there is no build for"),
      ]);
    },
  );
});

/** Makes the launcher's first line that of a later start. */
function useShell(launcher: string): void {
  writeFileSync(launcher, makeLauncher().replace(/^.*/, "#!/bin/sh"), { mode: 0o755 });
}

describe("the launcher chooses the build of the system", () => {
  const top = join(root, "top");
  const main = join(top, "node_modules/mini-claude");
  const launcher = join(main, "bin/mini-claude.cjs");
  /** Beside the launcher's package, as npx and pnpm install them, or inside it. */
  const places = [join(top, "node_modules"), join(main, "node_modules")];
  const tools = join(root, "tools");
  /** Stands for the root of the file system, where the loaders are. */
  const system = join(root, "system-root");

  beforeAll(() => {
    mkdirSync(join(main, "bin"), { recursive: true });
    writeFileSync(join(main, "package.json"), '{"name":"mini-claude","type":"module"}');
    const elsewhere = makeLauncher().replaceAll(/ (\/(?:usr\/)?lib)/g, ` ${system}$1`);
    writeFileSync(launcher, elsewhere);
    mkdirSync(tools);
    for (const [tool, answer] of [
      ["uname", "$UNAME"],
      ["ldd", "$LDD"],
    ])
      writeFileSync(join(tools, tool ?? ""), `#!/bin/sh\necho "${answer}"\n`, { mode: 0o755 });
    // Node is told what uname says.
    writeFileSync(
      join(tools, "uname.cjs"),
      `const [system, machine] = process.env.UNAME.split(" ");
const arch = { x86_64: "x64", aarch64: "arm64" }[machine] ?? machine;
for (const [key, value] of [["platform", system.toLowerCase()], ["arch", arch]])
  Object.defineProperty(process, key, { value });`,
    );
  });

  const glibc = "/lib64/ld-linux-x86-64.so.2";
  const musl = "/lib/ld-musl-x86_64.so.1";
  const arm = "/lib/ld-linux-aarch64.so.1";
  const mac = "/usr/lib/dyld";

  const shells = ["sh", "dash", "bash", "ksh", "zsh"].filter((name) => Bun.which(name));
  const node = Bun.which("node");
  let cases = 0;

  test.each([
    ["Linux x86_64", "libc.so.6", [glibc], ["linux-x64", "linux-x64-musl"], "linux-x64"],
    ["Linux x86_64", "libc.so.6", [glibc, musl], ["linux-x64", "linux-x64-musl"], "linux-x64"],
    ["Linux x86_64", "musl", [musl], ["linux-x64", "linux-x64-musl"], "linux-x64-musl"],
    ["Linux x86_64", "musl", [glibc, musl], ["linux-x64", "linux-x64-musl"], "linux-x64-musl"],
    ["Linux x86_64", "", [musl], ["linux-x64-musl"], "linux-x64-musl"],
    ["Linux aarch64", "", [arm], ["linux-x64", "linux-arm64"], "linux-arm64"],
    ["Linux aarch64", "", [glibc, arm], ["linux-x64", "linux-arm64"], "linux-arm64"],
    ["Darwin arm64", "", [mac], ["darwin-arm64", "darwin-x64"], "darwin-arm64"],
    ["Darwin arm64", "", [mac], ["darwin-x64"], "darwin-x64"],
    ["Darwin x86_64", "", [mac], ["darwin-arm64", "darwin-x64"], "darwin-x64"],
    ["Linux x86_64", "", [glibc], ["darwin-arm64"], null],
    ["FreeBSD amd64", "", [], ["linux-x64"], null],
  ])(
    "on %s, with %s and the loaders %p, of %p: %s",
    async (uname, ldd, loaders, builds, wanted) => {
      for (const loader of loaders) {
        mkdirSync(dirname(join(system, loader)), { recursive: true });
        writeFileSync(join(system, loader), "");
      }
      for (const [at, place] of places.entries()) {
        for (const build of builds) {
          const bin = join(place, `mini-claude-${build}`, "bin");
          mkdirSync(bin, { recursive: true });
          const program = join(bin, "mini-claude");
          writeFileSync(program, `#!/bin/sh\necho ${build} ${at} "$@"\n`, { mode: 0o755 });
        }
        const runners: string[][] = shells.map((name) => [name]);
        // Node is slow to start, so each case starts it in one of the places.
        if (node !== null && at === cases % places.length)
          runners.push([node, "--require", join(tools, "uname.cjs")]);
        for (const runner of runners) {
          const child = Bun.spawn([...runner, launcher, "a b"], {
            env: { PATH: `${tools}:/usr/bin:/bin`, UNAME: uname, LDD: ldd },
            stderr: "ignore",
          });
          const out = await child.stdout.text();
          expect([runner, out]).toEqual([runner, wanted === null ? "" : `${wanted} ${at} a b\n`]);
        }
      }
      cases++;
      rmSync(system, { recursive: true, force: true });
      for (const place of places)
        for (const build of builds)
          rmSync(join(place, `mini-claude-${build}`), { recursive: true });
    },
  );
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
    skipDefaultLibCheck: true,
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
