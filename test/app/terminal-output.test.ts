/** Text from models, servers, files and sessions reaches a terminal as plain text. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { sandbox } from "../bin.ts";
import { escapeCodes } from "../escape-codes.ts";
import { call, say, startFakeApi } from "../fake-api/index.ts";
import { inProcess } from "../in-process.ts";
import { program } from "../ui/program.ts";

const box = await sandbox("terminal");
afterAll(box.remove);
const [piped, terminal] = [inProcess(box), inProcess(box, { isTerminal: true })];

const hostile = Object.values(escapeCodes).join("x\n");

/** Everything but newline, tab and the carriage return that a terminal adds. */
// eslint-disable-next-line no-control-regex -- what must not get through
const harmful = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function expectText(text: string): void {
  expect(harmful.exec(text)?.[0]).toBeUndefined();
}

const api = startFakeApi();
afterAll(() => api.stop());

const env = { ...box.env, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "sk-ant-test" };

/** A hostile answer, a hostile call and a hostile title. */
const answers = () =>
  api.next(
    {
      content: [
        { type: "text", text: hostile },
        call("Read", { file_path: `missing ${hostile}` }),
        call("Bash", { command: `echo ${hostile}`, description: hostile }),
        call(`x${"y".repeat(20)}`, { [hostile]: hostile }),
      ],
    },
    say(hostile),
  );

const print = (...args: string[]) => piped.run(["-p", ...args], { env });

/** Written before and after each state of the progress bar of long work. */
const clearLine = "\r\x1b[K";

/** Standard output and standard error, both a terminal. */
async function onTerminal(args: string[]): Promise<string> {
  const { out, err } = await terminal.run(args, { env });
  return `${out}${err}`.replaceAll(clearLine, "");
}

let session = "";

beforeAll(async () => {
  answers();
  const run = await print(`say ${hostile}`);
  session = /session (\S+)/.exec(run.err)?.[1] ?? "";
  expect(run.out).toContain("owned");
  expectText(run.out);
  expectText(run.err);
});

test.each([["json"], ["events"]])("-p --output-format %s", async (format) => {
  answers();
  const run = await print("--output-format", format, "again");
  expect(run.out).toContain("owned");
  expectText(run.out);
  for (const line of run.out.trim().split("\n")) JSON.parse(line);
});

test("-p with a terminal as its output", async () => {
  answers();
  const shown = await onTerminal(["-p", "again"]);
  expect(shown).toContain("owned");
  expectText(shown);
});

const commands: [name: string, args: () => string[]][] = [
  ["sessions list", () => ["sessions", "list"]],
  ["sessions show", () => ["sessions", "show", session]],
  ["sessions export markdown", () => ["sessions", "export", session]],
  ["sessions export jsonl", () => ["sessions", "export", session, "--format", "jsonl"]],
  ["sessions export html", () => ["sessions", "export", session, "--format", "html"]],
  ["sessions show, of no session", () => ["sessions", "show", hostile]],
  ["an unknown flag", () => [`--${hostile}`]],
  ["import, of a file that is missing", () => ["import", hostile]],
  ["import, of a session", () => ["import", join(box.root, "foreign")]],
];

test.each(commands)("%s", async (_, args) => {
  const folder = join(box.root, "foreign", `name \u001b]0;owned\u0007 \u009b2J`);
  await mkdir(folder, { recursive: true });
  const line = (type: string, more: object) =>
    JSON.stringify({ type, sessionId: hostile, ...more });
  const lines = [
    line("user", { uuid: "1", cwd: hostile, message: { role: "user", content: hostile } }),
    line("summary", { summary: hostile }),
    hostile,
  ];
  await Bun.write(join(folder, `\u001b[2J.jsonl`), lines.join("\n"));
  const shown = await onTerminal(args());
  expect(shown.trim()).not.toBe("");
  expectText(shown);
});

test("a refusal of the server is printed without its escape codes", async () => {
  const refusing = startFakeApi();
  refusing.next({ status: 400, message: hostile });
  const at = { ...env, ANTHROPIC_BASE_URL: refusing.url };
  const { code, out, err } = await piped.run(["-p", "again"], { env: at });
  refusing.stop();
  expect(code).toBe(1);
  expect(err).toContain("owned");
  expectText(out + err);
});

test("what the screen leaves on the terminal", async () => {
  answers();
  const on = await program("hostile");
  const pty = await on.open({ args: [`say ${hostile}`], env, wanted: /<U\+202E>owned[^]*❯ Ask/ });
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  const [, left = ""] = pty.output().split("\x1b[?1049l");
  expect(left).toMatch(/owned[^]*Resume with/);
  // Its own codes are colors and the cursor.
  // eslint-disable-next-line no-control-regex -- these codes
  expectText(left.replace(/\r|\x1b\[(?:[\d;]*m|\?25h|23;0t)/g, ""));
  await on.remove();
});
