import { afterAll, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { runSubcommand } from "../../src/app/subcommands.ts";
import { errorMessage } from "../../src/base/in-words.ts";
import { cli, awaitResult, sandbox, sources } from "../bin.ts";

const box = await sandbox("subcommands");
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

/** Writes of `import` of a file to a terminal on which every step takes a second. */
async function shownBy(file: string): Promise<string> {
  let shown = "";
  let nowMs = 0;
  const show = (text: string | Uint8Array): boolean => (shown += String(text)) !== "";
  const spies = [
    spyOn(process, "on").mockReturnValue(process),
    spyOn(process.stdout, "on").mockReturnValue(process.stdout),
    spyOn(process.stdout, "write").mockImplementation(show),
    spyOn(process.stderr, "write").mockImplementation(show),
    spyOn(performance, "now").mockImplementation(() => (nowMs += 1_000)),
  ];
  const { isTTY } = process.stderr;
  process.stderr.isTTY = true;
  const command = { name: "import" as const, args: [file] };
  try {
    await runSubcommand(command, { env: box.env, cwd: box.project });
  } catch (error) {
    shown += errorMessage(error);
  } finally {
    process.stderr.isTTY = isTTY;
    for (const spy of spies) spy.mockRestore();
  }
  return shown;
}

test("the bar is cleared before anything else is printed", async () => {
  const file = join(box.root, "notes.jsonl");
  await Bun.write(file, '{"type":"other"}\n');
  expect(await shownBy(file)).toContain("1 of 1  notes.jsonl\r\x1b[Kfailed");
});

test("help is asked for by a flag of its own, not by an argument of what is named after --", async () => {
  const said = async (...args: string[]) => (await box.run(["sessions", ...args])).out;
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
