import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { parseFlags, UsageError } from "../../src/config/flags.ts";

const parse = (line: string) => parseFlags(line === "" ? [] : line.split(" "));
const refusal = (args: string[]): string => {
  try {
    parseFlags(args);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return "";
};

test("no arguments: a new session with a screen", () => {
  expect<unknown>(parse("")).toEqual({
    prompt: "",
    print: false,
    session: { resume: { kind: "new" }, fork: false },
    headless: { output: "text", input: "text", partialMessages: false, replayUserMessages: false },
    tools: { allow: [], deny: [] },
    prompts: {},
    sources: ["user", "project", "local"],
    mcp: { configs: [], strict: false },
    help: false,
    version: false,
    debug: false,
    verbose: false,
    trust: false,
    settings: [],
    ignored: [],
  });
  for (const name of ["help", "version", "verbose", "debug", "trust", "print"] as const)
    expect(parse(`--${name}`)[name]).toBe(true);
});

test("words before and after flags are the prompt", () => {
  expect(parse("-p what is --model x this")).toMatchObject({
    prompt: "what is this",
    print: true,
    settings: [{ path: ["model"], value: "x", source: "--model" }],
  });
  expect(parseFlags(["-p", "--", "--not-a-flag"]).prompt).toBe("--not-a-flag");
  expect(parseFlags(["-p", "-"]).prompt).toBe("-");
});

test("a setting from a flag names the flag as its source", () => {
  const { settings } = parse(
    "--offline --base-url http://x --window 200k --permission-mode plan --add-dir a --add-dir b --max-usd 5",
  );
  expect(settings).toEqual([
    { path: ["provider"], value: "offline", source: "--offline" },
    { path: ["baseUrl"], value: "http://x", source: "--base-url" },
    { path: ["windowTokens"], value: 200_000, source: "--window", text: "200k" },
    { path: ["permissionMode"], value: "plan", source: "--permission-mode" },
    { path: ["budget", "session"], value: 5, source: "--max-usd" },
    { path: ["addDirs"], value: ["a", "b"], source: "--add-dir" },
  ]);
});

test.each([
  ["-c", { kind: "latest" }, ""],
  ["-r", { kind: "pick" }, ""],
  ["--resume 20261120-2230-k3f9 go on", { kind: "session", id: "20261120-2230-k3f9" }, "go on"],
  ["-r 2026 -p go", { kind: "session", id: "2026" }, "go"],
  ["--resume=abc", { kind: "session", id: "abc" }, ""],
  ["--resume fix it", { kind: "pick" }, "fix it"],
  ["-- --resume 7", { kind: "new" }, "--resume 7"],
  ["go -- on", { kind: "new" }, "go on"],
])("%p", (line, resume, prompt) => {
  expect(parse(line)).toMatchObject({ session: { resume }, prompt });
});

test("help with at most a topic is a subcommand, and auth alone is not a prompt", () => {
  expect(parseFlags(["help"]).command).toEqual({ name: "help", args: [] });
  expect(parseFlags(["help", "cost"]).command).toEqual({ name: "help", args: ["cost"] });
  expect(parseFlags(["help", "me", "out"])).toMatchObject({ prompt: "help me out" });
  expect(parseFlags(["auth"]).command).toEqual({ name: "auth", args: [] });
  expect(parseFlags(["auth", "is", "what?"]).command).toBeUndefined();
});

test("a subcommand gets all arguments after it", () => {
  expect(parse("sessions list --all --json").command).toEqual({
    name: "sessions",
    args: ["list", "--all", "--json"],
  });
  expect(parse("import --dry-run x").command?.name).toBe("import");
  expect(parse("what are sessions").command).toBeUndefined();
});

test.each([
  ["--modle x", "Unknown flag --modle; did you mean --model?"],
  ["--zzzzzzzz", "Unknown flag --zzzzzzzz."],
  ["--resum=abc", "Unknown flag --resum; did you mean --resume?"],
  [
    "--output-format yaml",
    "--output-format must be one of text, json, stream-json, events, not yaml.",
  ],
  ["-c -r", "--continue and --resume cannot be combined"],
  ["--offline --provider openai", "--offline and --provider openai cannot be combined"],
  ["--model", "--model needs a value. See --help."],
  ["--model=", "--model needs a value."],
  [
    "--model --offline",
    "--model needs a value, but --offline looks like a flag; if you mean it, write",
  ],
  ["-x", "Unknown flag -x."],
  ["-pq", "Unknown flag -q."],
  ["--constructor", "Unknown flag --constructor."],
  ["--print=yes", "does not take an argument."],
  ["-r a1 -r b1", "--resume was given twice."],
  ["-r --resume", "--resume was given twice."],
])("%p is refused in one sentence", (line, sentence) => {
  const message = refusal(line.split(" "));
  expect(message).toContain(sentence);
  expect(message).not.toContain("\n");
});

test("any command line is parsed or refused in one line", () => {
  const arg = fc.oneof(
    fc.string(),
    fc.constantFrom("-p", "-c", "--", "-", "--resume", "--model", "--add-dir=x", "-pc", "--="),
  );
  fc.assert(
    fc.property(fc.array(arg, { maxLength: 6 }), (args) => {
      const one = args.map((text) => text.replaceAll("\n", " "));
      expect(refusal(one)).not.toContain("\n");
    }),
    { numRuns: 500 },
  );
});

test("tools are separated by commas or spaces, and end where the prompt begins", () => {
  const { tools, prompt, settings } = parseFlags([
    "-p",
    "--allowedTools",
    "Bash(git log:*), Read",
    "Edit",
    "mcp__docs",
    "--disallowed-tools=Bash(rm:*),WebFetch",
    "--tools",
    "Bash",
    "Read",
    "Explain this",
  ]);
  expect(tools).toEqual({
    allow: ["Bash(git log:*)", "Read", "Edit", "mcp__docs"],
    deny: ["Bash(rm:*)", "WebFetch"],
    only: ["Bash", "Read"],
  });
  expect(prompt).toBe("Explain this");
  expect(settings.map(({ path }) => path.join("."))).toEqual([
    "permissions.allow",
    "permissions.deny",
  ]);
  expect(parseFlags(["--tools", "", "hi"]).tools.only).toEqual([]);
  expect(parse("--tools default").tools.only).toBeUndefined();
});

test("what a client of Claude Code passes is accepted, with a value after a space or an equals sign", () => {
  const id = "8c5e0d3a-0f3c-4b39-9d65-0a6f4ce8b0ab";
  const flags = parseFlags([
    ..."--output-format stream-json --verbose --input-format stream-json --model=sonnet".split(" "),
    ..."--max-turns=2 --max-budget-usd 0.5 --permission-prompt-tool=stdio --resume".split(" "),
    ..."8c5e --fork-session --setting-sources= --include-partial-messages --betas=x,y".split(" "),
    "--json-schema",
    '{"type":"object","properties":{}}',
    "--append-system-prompt=- be brief",
    "--replay-user-messages",
    "--strict-mcp-config",
    "",
    "--session-id",
    id,
  ]);
  expect(flags).toMatchObject({
    prompt: "",
    session: { resume: { kind: "session", id: "8c5e" }, fork: true, sessionId: id },
    headless: {
      output: "stream-json",
      input: "stream-json",
      partialMessages: true,
      replayUserMessages: true,
      maxTurns: 2,
      maxBudgetUsd: 0.5,
      permissionPromptTool: "stdio",
      jsonSchema: { type: "object", properties: {} },
    },
    prompts: { append: "- be brief" },
    sources: [],
    mcp: { configs: [], strict: true },
    ignored: ["betas"],
  });
});

test.each([
  ["--max-turns 0", "--max-turns must be a number above 0, not 0."],
  ["--max-turns 1.5", "--max-turns must be a whole number, not 1.5."],
  ["--max-budget-usd free", "--max-budget-usd must be a number above 0, not free."],
  ["--json-schema []", '--json-schema must be a JSON schema with "type": "object".'],
  ["--input-format stream-json", "needs --output-format stream-json"],
  ["--session-id 7", "--session-id must be a UUID, not 7."],
  ["--fork-session", "--fork-session needs --resume or --continue."],
  ["--setting-sources team", "must list user, project, local"],
  ["--system-prompt a --system-prompt-file b", "cannot be combined"],
])("%p is refused", (line, sentence) => {
  expect(refusal(line.split(" "))).toContain(sentence);
});
