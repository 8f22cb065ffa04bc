import { afterAll, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { cli, awaitResult, sandbox, sources } from "../bin.ts";
import { inProcess } from "../in-process.ts";

const box = await sandbox("subcommands");
const [piped, terminal] = [inProcess(box), inProcess(box, { isTerminal: true })];
afterAll(box.remove);

test("a reader that leaves early is not an error", async () => {
  // The reader has closed the pipe before the program starts.
  const script = 'exec 3> >(:); wait $!; exec "$0" sessions --help >&3 3>&-';
  const child = Bun.spawn(["bash", "-c", script, cli], {
    cwd: box.project,
    env: box.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await awaitResult(child)).toEqual({ code: 0, out: "", err: "" });
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
  const preload = join(box.root, "throws.ts");
  const fails = 'setTimeout(() => { throw new Error("planted"); })';
  await Bun.write(preload, `process.stdout.write = () => Boolean(${fails});`);
  const env = { BUN_OPTIONS: `--preload=${preload}` };
  const { code, err } = await box.run(["sessions", "--help"], { env, bin: sources });
  expect({ code, err }).toEqual({ code: 1, err: "mini-claude: planted\n" });
});
