/** `-p` as text, as events, and for several prompts: what is printed where, and the exit code. */

import { expect, test } from "bun:test";
import { call, say } from "../../fake-api/index.ts";
import { isResult, openProgram } from "../program.ts";

const { run, connect } = await openProgram("print");

/** Standard error without the line that names model and session. */
const progress = (err: string): string => err.replace(/^mini-claude: .*\n/, "");

test("text: only the last answer goes to standard output, a line for each event to standard error", async () => {
  const first = [
    { type: "text" as const, text: "Looking." },
    call("Bash", { command: "echo a\necho '\u001b[2J\u202e'" }),
    call("TodoWrite", { todos: [] }),
  ];
  const { code, out, err } = await run(
    ["--permission-mode=bypass"],
    [
      { status: 529, message: "busy", headers: { "retry-after": "0" } },
      first,
      [call("Read", { file_path: "none" })],
      say(" last \u001b[2J\n"),
    ],
  );
  expect({ code, out }).toEqual({ code: 0, out: "last \n" });
  const [retry, ...lines] = progress(err).trimEnd().split("\n");
  expect(retry).toMatch(/^retry 1 of \d+ in 0 s: .*busy/);
  expect(lines).toEqual([
    "Bash echo a echo ' [2J '",
    'TodoWrite {"todos":[]}',
    "Bash failed",
    "Read none",
    "Read failed",
  ]);
});

test("text: a turn without an answer prints nothing; what was denied, and what ended it, is said", async () => {
  const command = call("Bash", { command: "touch no" });
  const failed = await run([], [[command], { status: 400, message: "x".repeat(900) }]);
  expect(failed).toMatchObject({ code: 1, out: "" });
  expect(progress(failed.err)).toStartWith(
    "Bash touch no\ndenied, nobody to ask: Run a command\nBash failed\n",
  );
  // Advice is not cut.
  expect(progress(failed.err)).toContain("x".repeat(400));
});

test("text: a long line is cut to 200 characters, never in the middle of one", async () => {
  const line = async (command: string): Promise<string> => {
    const { err } = await run([], [[call("Glob", { pattern: command })], say("No.")]);
    return progress(err).split("\n")[0] ?? "";
  };
  expect(await line("x".repeat(300))).toBe(`Glob ${"x".repeat(194)}…`);
  expect(await line("x".repeat(195))).toBe(`Glob ${"x".repeat(195)}`);
  expect((await line(`${"x".repeat(193)}😀${"x".repeat(10)}`)).isWellFormed()).toBe(true);
});

test("text: a cut and a warning are said", async () => {
  const [id, long] = [crypto.randomUUID(), say("word ".repeat(8_000))];
  await run([`--session-id=${id}`], [long]);
  await run([`--resume=${id}`], [long]);
  const summary = say(`<summary>${"They said hello. ".repeat(10)}</summary>`);
  const cut = await run([`--resume=${id}`], [summary], { prompt: "/compact" });
  expect([cut.code, cut.out]).toEqual([0, ""]);
  expect(progress(cut.err)).toMatch(/^compacted \(summary\): \d{5} -> \d{4,5} tokens, \S.*\n$/);
  const hook = { hooks: [{ type: "command", command: `echo '{"systemMessage":"Beware."}'` }] };
  const hooks = `--settings=${JSON.stringify({ hooks: { UserPromptSubmit: [hook] } })}`;
  expect(progress((await run([hooks], [say("Hi.")])).err)).toMatch(/Beware\.\n$/);
});

test("events: every event is a line that can be read back, and nothing else is printed", async () => {
  const { code, messages } = await run(["--output-format=events"], [say("x")]);
  expect(code).toBe(0);
  expect(messages.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["phase", "delta", "entry", "idle"]),
  );
  expect(messages.at(-1)).toEqual({ type: "idle", why: "done" });
});

test("the required form is asked for again, a few times in each turn", async () => {
  const schema = '{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}';
  const form = (n: number | string) => [call("StructuredOutput", { n })];
  const { out } = await run([`--json-schema=${schema}`], [form(4), say("Done.")]);
  expect(out).toBe('{"n":4}\n');
  const answers = [form("four"), ...Array.from({ length: 6 }, () => say("Four."))];
  const given = await run(["--output-format=json", `--json-schema=${schema}`], answers);
  expect(given).toMatchObject({
    code: 1,
    result: {
      subtype: "error_max_structured_output_retries",
      errors: ["The model did not answer in the required form in 5 attempts."],
    },
  });
  const client = connect([form(1), say("One."), say("No."), form(2), say("Two.")], {
    flags: [`--json-schema=${schema}`],
  });
  client.say("1");
  expect((await client.until(isResult)).at(-1)).toMatchObject({ structured_output: { n: 1 } });
  client.say("2");
  expect((await client.until(isResult)).at(-1)).toMatchObject({ structured_output: { n: 2 } });
});
