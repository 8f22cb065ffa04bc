import { afterAll, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { sandbox } from "../bin.ts";
import { inProcess, spawnInProcess } from "../in-process.ts";

const box = await sandbox("subcommands");
const [piped, terminal] = [inProcess(box), inProcess(box, { isTerminal: true })];
afterAll(box.remove);

test("a reader that leaves early is not an error", async () => {
  const child = spawnInProcess(box, ["sessions", "--help"]);
  await child.stdout.cancel();
  expect([await child.exited, await child.stderr.text()]).toEqual([0, ""]);
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

test("help is asked for by a flag of its own, not by an argument of what is named after --", async () => {
  const said = async (...args: string[]) => (await piped.run(["sessions", ...args])).out;
  for (const args of [["--help"], ["list", "-h"], ["--help", "--", "x"]])
    expect(await said(...args)).toStartWith("mini-claude sessions");
  expect(await said("list", "--", "--help")).toBe("No sessions yet.\n");
});

test("an error that nobody expected is one sentence", async () => {
  const child = spawnInProcess(box, ["acp"]);
  expect(child.fail(new Error("planted"))).toBe(true);
  expect([await child.exited, await child.stderr.text()]).toEqual([1, "mini-claude: planted\n"]);
});

test("an error of the start is one sentence; --verbose adds where it comes from", async () => {
  const env = { MINI_CLAUDE_HOME: "/dev/null/nowhere" };
  const { code, err } = await piped.run(["-p", "hello"], { env });
  expect(code).toBe(1);
  expect(err).toMatch(/^mini-claude: .*\/dev\/null\/nowhere.*\.\n$/);
  expect((await piped.run(["-p", "--verbose", "hello"], { env })).err).toMatch(/\n +at /);
});
