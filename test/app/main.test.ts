/** The command line up to the choice of a way to run, and what all subcommands share. */

import { afterAll, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { version } from "../../package.json";
import { main } from "../../src/app/main.ts";
import { parseFlags } from "../../src/config/flags.ts";
import { sandbox } from "../bin.ts";
import { inProcess, spawnInProcess } from "../in-process.ts";

const box = await sandbox("main");
const [piped, terminal] = [inProcess(box), inProcess(box, { isTerminal: true })];
afterAll(box.remove);

/** No session can be opened there. */
const nowhere = { env: { MINI_CLAUDE_HOME: "/dev/null/nowhere" } };

const { out: help } = await piped.run(["--help", "-p", "hello"], nowhere);

test("version and help are printed, and nothing is run", async () => {
  const run = await piped.run(["--version", "-p", "hello"], nowhere);
  expect(run).toEqual({ code: 0, out: `mini-claude ${version}\n`, err: "" });
  expect(help).toStartWith("mini-claude: a coding agent");
  expect((await piped.run(["help"])).out).toBe(help);
});

test("a flag that is not valid is a usage error, an error of the start a failure; --verbose adds where it comes from", async () => {
  const wrong = await piped.run(["--no-such-flag"]);
  expect([wrong.code, wrong.out]).toEqual([2, ""]);
  expect(wrong.err).toMatch(/^mini-claude: .*--no-such-flag.*\n$/);
  const failed = await piped.run(["-p", "hello"], nowhere);
  expect(failed.code).toBe(1);
  expect(failed.err).toMatch(/^mini-claude: .*\/dev\/null\/nowhere.*\.\n$/);
  expect((await piped.run(["-p", "--verbose", "hello"], nowhere)).err).toMatch(/\n +at /);
});

/** With the streams of this process. */
async function start(args: string[], folder: () => string) {
  let err = "";
  const spy = spyOn(process.stderr, "write").mockImplementation(
    (text) => ((err += String(text)), true),
  );
  const code = await main(() => parseFlags(args), { HOME: box.root, ...nowhere.env }, folder);
  spy.mockRestore();
  return { code, err };
}

const gone = (): never => {
  throw new Error("ENOENT: uv_cwd");
};
test.each([
  [gone, "The current folder is gone. Start in another one."],
  [() => "/\ufffd", "The name of the current folder is not UTF-8. Start in another one."],
])("a folder that cannot be opened is a usage error", async (folder, err) => {
  const end = { code: 2, err: `mini-claude: ${err}\n` };
  expect(await start(["-p", "hello"], folder)).toEqual(end);
});

test("a screen is not drawn into a file, and takes no keys from one", async () => {
  const { stdin, stdout } = process;
  const before = [stdin.isTTY, stdout.isTTY];
  [stdin.isTTY, stdout.isTTY] = [true, false];
  const { code, err } = await start([], () => box.project);
  [stdin.isTTY = false, stdout.isTTY = false] = before;
  const keyless = await terminal.run([]);
  expect([code, keyless.code]).toEqual([2, 2]);
  for (const said of [err, keyless.err]) expect(said).toContain("This is not a terminal");
});

const subcommands = [...help.matchAll(/^ {2}mini-claude ([a-z]+)\b/gm)].map(
  ([, name = ""]) => name,
);

test.each(subcommands)("%s --help prints how it is used, and does nothing else", async (name) => {
  for (const flag of ["--help", "-h"]) {
    const { code, out, err } = await piped.run([name, flag]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toStartWith(`mini-claude ${name}`);
  }
});

test.each(["sessions", "import", "doctor", "trust", "auth", "update"])(
  "%s names an option that it does not know, in one sentence",
  async (name) => {
    const { code, err } = await piped.run([name, ...(name === "auth" ? ["status"] : []), "--frob"]);
    expect([code, err]).toEqual([2, "mini-claude: Unknown option '--frob'. See --help.\n"]);
  },
);

test("help is asked for by a flag of its own, not by an argument of what is named after --", async () => {
  const said = async (...args: string[]) => (await piped.run(args)).out;
  for (const args of [["--help"], ["list", "-h"], ["--help", "--", "x"]])
    expect(await said("sessions", ...args)).toStartWith("mini-claude sessions");
  expect(await said("sessions", "list", "--", "--help")).toBe("No sessions yet.\n");
  expect(await said("mcp", "list", "--help")).toStartWith("mini-claude mcp add");
  const added = await said("mcp", "add", "docs", "--", "serve", "--help");
  expect(added).toStartWith("Added docs");
});

test("a reader that leaves early is not an error; an error that nobody expected is one sentence", async () => {
  const left = spawnInProcess(box, ["sessions", "--help"]);
  await left.stdout.cancel();
  expect([await left.exited, await left.stderr.text()]).toEqual([0, ""]);
  const child = spawnInProcess(box, ["acp"]);
  expect(child.fail(new Error("planted"))).toBe(true);
  expect([await child.exited, await child.stderr.text()]).toEqual([1, "mini-claude: planted\n"]);
});

test("a bar of long work moves every 300 ms, on a terminal, and is cleared before anything else", async () => {
  const folder = join(box.root, "notes");
  const names = ["a", "b", "c", "d\u001b[2J", "e"].map((name) => `${name}${"x".repeat(80)}.jsonl`);
  for (const name of names) await Bun.write(join(folder, name), '{"type":"other"}\n');
  let nowMs = 0;
  const clock = spyOn(performance, "now").mockImplementation(() => (nowMs += 150));
  const { err } = await terminal.run(["import", folder]);
  const clear = "\r\u001b[K";
  const [before, bar = "", next = "", after] = err.split(clear);
  expect([before, after]).toEqual(["", "5 skipped\n"]);
  expect(bar).toStartWith(`▐████${"░".repeat(20)}▌ 2 of 5  bxx`);
  expect(next).toStartWith(`▐${"█".repeat(14)}${"░".repeat(10)}▌ 4 of 5  dxx`);
  expect(bar.length).toBe((process.stderr.columns ?? 80) - 1);
  expect((await piped.run(["import", folder])).err).not.toContain("▐");
  clock.mockRestore();
});
