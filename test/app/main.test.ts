/** The command line up to the choice of a way to run, in this process. */

import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { version } from "../../package.json";
import { main } from "../../src/app/main.ts";
import { parseFlags } from "../../src/config/flags.ts";
import { testFolder } from "../folder.ts";

const cwd = testFolder("main");
const env = { HOME: cwd, MINI_CLAUDE_HOME: "/dev/null/nowhere" };

let out = "";
let err = "";
const spies: { mockRestore(): void }[] = [];
beforeEach(() => {
  out = err = "";
  spies.push(
    spyOn(process.stdout, "write").mockImplementation((text) => ((out += String(text)), true)),
    spyOn(process.stderr, "write").mockImplementation((text) => ((err += String(text)), true)),
    // Subcommands end the process with these.
    spyOn(process, "on").mockReturnValue(process),
    spyOn(process.stdout, "on").mockReturnValue(process.stdout),
  );
});
afterEach(() => {
  for (const spy of spies.splice(0)) spy.mockRestore();
});

const run = (...args: string[]): Promise<number> =>
  main(
    () => parseFlags(args),
    env,
    () => cwd,
  );

test("version and help are printed, and nothing is run", async () => {
  expect(await run("--version", "-p", "hello")).toBe(0);
  expect(out).toBe(`mini-claude ${version}\n`);
  out = "";
  expect(await run("--help", "-p", "hello")).toBe(0);
  expect(out).toStartWith("mini-claude: a coding agent");
  expect(err).toBe("");
});

test("a flag that is not valid is a usage error, anything else a failure", async () => {
  expect(await run("--no-such-flag")).toBe(2);
  expect(err).toMatch(/^mini-claude: .*--no-such-flag.*\n$/);
  err = "";
  const broken = () => {
    throw new Error("It broke.");
  };
  expect(await main(broken, env, () => cwd)).toBe(1);
  expect(err).toBe("mini-claude: It broke.\n");
  expect(out).toBe("");
});

test("a folder that is gone is a usage error", async () => {
  const gone = () => {
    throw new Error("ENOENT: uv_cwd");
  };
  expect(await main(() => parseFlags(["-p", "hello"]), env, gone)).toBe(2);
  expect(err).toBe("mini-claude: The current folder is gone. Start in another one.\n");
});

test("a screen is not drawn into a file", async () => {
  const { stdin, stdout } = process;
  const before = [stdin.isTTY, stdout.isTTY];
  [stdin.isTTY, stdout.isTTY] = [true, false];
  expect(await run()).toBe(2);
  [stdin.isTTY = false, stdout.isTTY = false] = before;
  expect(err).toContain("This is not a terminal");
  expect(out).toBe("");
});

test("with --verbose, an error shows where it comes from", async () => {
  expect(await run("--worktree=../out")).toBe(2);
  expect(err).toMatch(/^mini-claude: --worktree \.\.\/out: .*\n$/);
  err = "";
  expect(await run("--verbose", "--worktree=../out")).toBe(2);
  expect(err).toMatch(/--worktree \.\.\/out: .*\n\s+at /);
});
