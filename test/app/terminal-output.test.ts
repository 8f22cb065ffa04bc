/** Text from models, servers, files and sessions reaches a terminal as plain text. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { sandbox } from "../bin.ts";
import { call, say, startFakeApi } from "../fake-api/index.ts";
import { inProcess } from "../in-process.ts";
import { program } from "../ui/program.ts";

const box = await sandbox("terminal");
afterAll(box.remove);
const [piped, terminal] = [inProcess(box), inProcess(box, { isTerminal: true })];

/** What a terminal would interpret. */
const sequences = {
  "clears the screen": "\u001b[2J\u001b[3J",
  "moves the cursor": "\u001b[1;1H\u001b[10A",
  "sets the title": "\u001b]0;owned\u0007",
  "sets the title, ended by ST": "\u001b]2;owned\u001b\\",
  "sets the title, unended": "\u001b]0;owned",
  "writes the clipboard": "\u001b]52;c;b3duZWQ=\u0007",
  "links elsewhere": "\u001b]8;;http://owned.example\u001b\\here\u001b]8;;\u001b\\",
  "colors what follows": "\u001b[31;7m",
  "hides what follows": "\u001b[8m",
  "leaves the alternate buffer": "\u001b[?47l",
  "switches the mouse on": "\u001b[?1003h",
  "asks the terminal": "\u001b[c\u001b[>q\u001bZ",
  resets: "\u001bc\u001b[!p",
  "device control": "\u001bPq#0;2;0;0;0\u001b\\",
  "application and privacy strings":
    "\u001b_Gowned\u001b\\\u001b^owned\u001b\\\u001bXowned\u001b\\",
  "C1 forms": "\u009b2J\u009d0;owned\u0007\u0090q\u009c\u0085\u008d",
  "line drawing": "\u001b(0\u000e",
  "overwrites what was there": "good\b\b\b\bevil\u000b\u000c",
  "turns around": "\u202eowned\u2066",
};

const hostile = Object.values(sequences).join("x\n");

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
  expect(run.out).toContain("good");
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
  expect(shown).toContain("good");
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

test("the screen, a question and what is printed on leaving", async () => {
  answers();
  api.next({ content: [call("Write", { file_path: "new.txt", content: hostile })] }, say(hostile));
  const on = await program("hostile");
  const pty = await on.open({ args: [`say ${hostile}`], env, wanted: /<U\+202E>owned[^]*❯ Ask/ });
  await pty.send("write it", /new\.txt[^]*Allow once/);
  await pty.hit("escape", "❯ Ask");
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  expect(pty.screen()).toContain("Resume with");
  // Our own sequences begin with ESC, too; none of the hostile ones may be among them.
  const found = Object.entries(sequences).filter(
    ([name, text]) => name !== "colors what follows" && pty.output().includes(text),
  );
  expect(found.map(([name]) => name)).toEqual([]);
  expect(pty.output()).not.toMatch(/[\u0080-\u009f]/);
  expect(pty.terminal.buffer.active.type).toBe("normal");
  await on.remove();
});
