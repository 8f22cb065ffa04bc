/** Which conventions of other agents the manual claims, and the test that checks each claim. */

import { expect, test } from "bun:test";
import { join } from "node:path";

/** For each convention: its claims, each with a test file and the beginning of a test's name. */
const held: Record<string, Record<string, [file: string, name: string]>> = {
  Instructions: {
    "`@imports`, five deep": [
      "extensions/instructions/instructions",
      "imports are followed five deep",
    ],
    "those of subfolders, when a file there is first touched": [
      "run/instructions",
      "instructions of a subfolder are appended once",
    ],
    "rules, and those with `paths`, when such a file is": [
      "run/instructions",
      "a rule with paths is appended once",
    ],
  },
  Commands: {
    "names by folder": ["extensions/commands/prompt-files", "commands are named by their path"],
    "`$ARGUMENTS`, `$0`": ["extensions/commands/prompt-files", "arguments count from 0"],
    "`` !`command` `` and `@file`": ["run/prompt-files", "a command sends its text"],
    "`allowed-tools`": ["run/prompt-files", "allowed-tools of the user's command"],
    "`model`": ["run/prompt-files", "a command may choose the model"],
    "with `-p`": ["run/prompt-files", "a command sends its text"],
  },
  Skills: {
    "one line each for the model, loaded by the `Skill` tool, run with a slash": [
      "run/prompt-files",
      "skills are listed in a line each, loaded by the model, and run with a slash",
    ],
    "`disable-model-invocation`, `user-invocable`": [
      "extensions/commands/prompt-files",
      "skills are folders with a SKILL.md",
    ],
  },
  Agents: {
    "name, description, tools, model": ["run/subagents", "an agent of the trusted project"],
    "side by side": ["run/subagents", "two subagents work side by side"],
    "`run_in_background`": ["ui/subagents", "a subagent in the background asks by its name"],
    "`SubagentStop` hooks": ["agent/subagents", "a report comes back with its cost; the hook"],
    "what you allow for the session": [
      "trust/session-rules",
      "what is allowed for the session holds for its subagents",
    ],
  },
  Web: {
    "rules by domain": ["tools/web/permission", "every site is asked about, and a rule"],
    "`allowed_domains`, `blocked_domains`": [
      "tools/web/web-search",
      "a search says what was found",
    ],
  },
  Worktrees: {
    "one is made or used again": ["app/worktree", "a session works in a worktree, which is kept"],
    "it is removed when nothing changed in it": ["app/worktree", "a worktree without changes"],
  },
  "Questions and plans": {
    "choices, several at once, own words": [
      "ui/questions/poll",
      "several options are marked, then sent together",
    ],
    "a plan changed in your editor, approved, and carried out": [
      "tools/ask-user",
      "an approved plan ends plan mode, and is carried out as the user left it",
    ],
    "through the SDK's `canUseTool` and in editors": [
      "headless/approve",
      "a client answers a question with choices",
    ],
  },
  Files: {
    "PDFs by page": ["tools/files/documents", "a PDF is read as the text of its pages"],
    "notebooks by cell": ["tools/files/documents", "a notebook is read cell by cell"],
    "several changes at once, as `edits`": [
      "tools/accept",
      "several changes are made in order, all or none",
    ],
  },
  Memory: {
    "`#` notes in plain Markdown files": [
      "extensions/instructions/memory",
      "notes are lines of a private file",
    ],
    "notes of the model's own, with your approval": [
      "tools/remember",
      "the question shows the line, the file",
    ],
    "`/memory`": ["extensions/instructions/memory-files", "notes come first"],
  },
  Hooks: {
    "their events": [
      "run/hooks",
      "hooks of the user and of the trusted project run at every event",
    ],
    matchers: ["extensions/hooks/registry", "plain matchers are names"],
    "JSON on standard input, `CLAUDE_PROJECT_DIR`": [
      "extensions/hooks/registry",
      "a command is given the event as JSON",
    ],
    "exit code 2": ["extensions/hooks/registry", "exit code 2 blocks"],
    "JSON decisions, `updatedInput`, `additionalContext`, `continue: false`": [
      "extensions/hooks/registry",
      "JSON decides about permission, input, context and the turn",
    ],
    "`timeout`": ["extensions/hooks/run-command", "a command that takes too long is stopped"],
    "`async`": ["extensions/hooks/registry", "an async hook is not awaited"],
    "`CLAUDE_ENV_FILE`": ["run/subagents", "variables that a SessionStart hook leaves"],
    "type `prompt`": ["run/hooks", "a hook of type prompt asks the model"],
  },
  "`claude -p`": {
    "`system/init`, `assistant`, `user`, `result`": [
      "headless/print/stream-json",
      "a turn: init, one",
    ],
    "`stream_event`": ["headless/print/stream-json", "partial messages: the events of the API"],
    "`compact_boundary`": ["headless/print/stream-json", "a compaction: its status, its boundary"],
    "`api_retry`": ["headless/print/stream-json", "denied calls are listed; retries and modes"],
    limits: ["headless/known-shapes", "limits end a run"],
    "`--json-schema`": ["headless/known-shapes", "an answer in the form of a JSON schema"],
    "`--fallback-model`": ["headless/known-shapes", "while a model is overloaded"],
    "`--resume`, `--fork-session`": ["headless/known-shapes", "a session has the given id"],
    "`--allowedTools`, `--tools`": ["headless/known-shapes", "a rule of the command line allows"],
  },
  "Claude Agent SDK (0.3.330), `claude-agent-acp` (0.100.0)": {
    "prompts, streaming input": ["headless/client", "initialize and a message, sent at once"],
    "`canUseTool`": ["headless/client", "can_use_tool: the client allows"],
    "its hooks": ["headless/client", "a hook runs in the client"],
    "its MCP servers": ["headless/client", "an MCP server in the client"],
    "its subagents": ["headless/client", "a subagent of the client works"],
    interrupt: ["headless/client", "an interrupt ends the turn"],
    "mode and model changes": ["headless/client", "mode and model change"],
    "context usage": ["headless/client", "the client learns of the session"],
    "`rewindFiles`": ["headless/client", "rewind_files restores the files"],
    "`auth status --json`": [
      "commands/auth/auth",
      "in words; and a prompt may begin with the word",
    ],
  },
  "Agent Client Protocol (v1)": {
    "streaming, tool calls with locations, plans, usage": [
      "headless/acp/acp",
      "a prompt: its text streams in, a call with its place, the result, the plan, the meter",
    ],
    "diffs and permissions": ["headless/acp/acp", "an edit is shown as a diff and asked about"],
    "sessions (new, load, list), compactions": ["headless/acp/acp", "a session is listed, loaded"],
    "files and images, modes": ["headless/acp/acp", "files and images of the editor"],
    "model and effort": ["headless/acp/acp", "the editor chooses the model and its effort"],
    cancel: ["headless/acp/acp", "cancel ends the turn"],
  },
  MCP: {
    stdio: ["extensions/mcp/hub", "over standard input and output"],
    HTTP: ["extensions/mcp/hub", "over HTTP, with headers"],
    SSE: ["extensions/mcp/hub", "over server-sent events"],
    OAuth: ["extensions/mcp/login", "a login is asked for"],
    scopes: ["extensions/mcp/sources", "flags outrank local servers"],
    "`${VAR:-default}`": ["extensions/mcp/sources", "variables are filled in everywhere"],
    "resources and prompts": ["extensions/mcp/session", "a resource and a prompt of a server"],
    "templates of resources": ["extensions/mcp/hub", "resources and templates of their URIs"],
    "lists that change": ["extensions/mcp/hub", "a list that changed is read again"],
    "forms (elicitation)": ["extensions/mcp/elicitation", "the user is shown a form"],
    "rules by server": [
      "extensions/mcp/hub",
      "a tool that a rule denies is neither sent nor found",
    ],
    "`ToolSearch` with `select:`": ["extensions/mcp/tool-search", "select loads exactly these"],
  },
};

const root = join(import.meta.dir, "..");

/** The claims of the manual, by convention. */
async function claimed(): Promise<Record<string, string[]>> {
  const topic = await Bun.file(join(root, "src/docs/conventions.md")).text();
  const items = topic.replace(/\s+/g, " ").split(" - **").slice(1);
  return Object.fromEntries(
    items.map((item) => {
      const works = /_Works_: (.*?)\. (?:_Differs_|_Missing_)/.exec(item)?.[1] ?? "";
      return [item.split("**")[0] ?? "", works.split("; ")];
    }),
  );
}

test("every claim of the manual has a test, and every test a claim", async () => {
  const claims = Object.fromEntries(
    Object.entries(held).map(([name, tests]) => [name, Object.keys(tests)]),
  );
  expect(await claimed()).toEqual(claims);
});

test("those tests exist", async () => {
  const missing: string[] = [];
  for (const [file, name] of Object.values(held).flatMap((tests) => Object.values(tests))) {
    const text = await Bun.file(join(import.meta.dir, `${file}.test.ts`)).text();
    if (!text.includes(name)) missing.push(`${file}: ${name}`);
  }
  expect(missing).toEqual([]);
});

/** The lines of the sources that break a rule of wording, as "file:line: text". */
async function linesThat(breaks: (line: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const file of [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(root)].sort()) {
    const lines = (await Bun.file(join(root, file)).text()).split("\n");
    for (const [index, line] of lines.entries())
      if (breaks(line)) found.push(`${file}:${index + 1}: ${line.trim()}`);
  }
  return found;
}

test("comments state the thing itself and do not begin with “What”", async () => {
  const riddle = /(?:\/\*\*|^\s*\*|\/\/) What /;
  expect(riddle.test("  /** What it shows. */")).toBe(true);
  expect(await linesThat((line) => riddle.test(line))).toEqual([]);
});

test("no variable or parameter is called “one”", async () => {
  const comment = /^\s*(?:\/\*\*|\*|\/\/)/;
  const text = /"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`?/g;
  const named =
    /\b(?:const|let|function)\s+one\b|[([{,]\s*(?:\w+: )?one\s*(?:[,})\]]|: (?!\w+ )|=>)|\bone =>|\bone(?:\?)?\.[#\w]|\.\.\.one\b/;
  const names = (line: string): boolean =>
    !comment.test(line) && named.test(line.replaceAll(text, "").replaceAll(/\/[^/\s][^/]*\//g, ""));
  for (const line of ["const one = 1;", "find((one) => one.id === id)", "for (const one of all) {"])
    expect(names(line)).toBe(true);
  expect(await linesThat(names)).toEqual([]);
});
