/** Who answers a question of the agent when there is no screen. */

import { expect, test } from "bun:test";
import { approverFor } from "../../src/headless/answering.ts";
import type { AgentCommand } from "../../src/protocol/command.ts";
import { askAbout } from "../questions.ts";

const ask = askAbout("git push", { id: "q1" });

type Toolbox = Parameters<typeof approverFor>[0]["toolbox"];

/** Asks the tool `mcp__gate__decide`, which answers with `text`. */
async function decided(text: string, { isError = false, question = ask } = {}) {
  const calls: Parameters<Toolbox["run"]>[0][] = [];
  const sent: AgentCommand[] = [];
  const toolbox: Toolbox = {
    async run(call, { ask: askAgain }) {
      calls.push(call);
      expect(await askAgain(question)).toEqual({ allow: false });
      const content = [{ type: "text" as const, text }];
      return { content, bytes: 0, lines: 0, ...(isError ? { isError: true } : {}) };
    },
  };
  const approve = approverFor({
    tool: "mcp__gate__decide",
    channel: null,
    toolbox,
    send: (command) => sent.push(command),
  });
  const answer = await approve(question, new AbortController().signal);
  return { answer, call: calls[0], sent };
}

test("with nobody to ask, the call is denied, with a hint what would allow it", async () => {
  const toolbox = { run: () => Promise.reject(new Error("Nobody asks a tool.")) };
  for (const tool of [undefined, "stdio"]) {
    const approve = approverFor({ tool, channel: null, toolbox, send: () => undefined });
    const answer = await approve(ask, new AbortController().signal);
    const advice = (flags: string) => ({ allow: false, reason: expect.stringContaining(flags) });
    expect(answer).toMatchObject(advice("start with --permission-mode bypass."));
    const edit = { ...ask, detailKind: "diff" as const, rule: "change files in /w" };
    expect(await approve(edit, new AbortController().signal)).toMatchObject(
      advice("start with --permission-mode accept-edits."),
    );
    // In that mode, too, a secret file asks.
    expect(await approve({ ...edit, rule: null }, new AbortController().signal)).toMatchObject(
      advice("start with --permission-mode bypass."),
    );
    const always = { rule: "Bash(git push)", file: "settings.json" };
    const withRule = await approve({ ...ask, always }, new AbortController().signal);
    expect(withRule).toMatchObject(
      advice("start with --allowedTools 'Bash(git push)', or --permission-mode bypass."),
    );
  }
});

test("a tool is told of the call, and answers as a client does", async () => {
  const { answer, call, sent } = await decided('{"behavior": "allow", "updatedInput": {"a": 1}}');
  expect(call).toEqual({
    type: "tool_use",
    id: "permission-q1",
    name: "mcp__gate__decide",
    input: { tool_name: "Bash", input: { command: "git push" }, tool_use_id: "t1" },
  });
  expect(answer).toEqual({ allow: true, scope: "once", input: { a: 1 } });
  expect(sent).toEqual([]);
});

test("a question without a call has no input, and neither has the answer", async () => {
  const { input: _, ...question } = ask;
  const reply = '{"behavior": "allow", "updatedInput": {"a": 1}}';
  const { answer, call } = await decided(reply, { question });
  expect(call?.input).toMatchObject({ input: {} });
  expect(answer).toEqual({ allow: true, scope: "once" });
});

test("an answer changes the mode, or stops the turn", async () => {
  const mode = { type: "setMode", mode: "acceptEdits", destination: "session" };
  const allow = JSON.stringify({ behavior: "allow", updatedPermissions: [mode] });
  expect((await decided(allow)).sent).toEqual([{ type: "mode", mode: "accept-edits" }]);
  const deny = JSON.stringify({ behavior: "deny", message: "No.", interrupt: true });
  const { answer, sent } = await decided(deny);
  expect(answer).toMatchObject({ allow: false, reason: "No." });
  expect(sent).toEqual([{ type: "stop" }]);
});

test("an answer does not turn approvals off, unless the start allowed that", async () => {
  for (const mode of ["bypassPermissions", "bypass"]) {
    const update = { type: "setMode", mode, destination: "session" };
    const allow = JSON.stringify({ behavior: "allow", updatedPermissions: [update] });
    expect((await decided(allow)).sent).toEqual([]);
  }
});

test("a tool that fails, or answers with anything else, denies", async () => {
  const failed = await decided("The server is gone.", { isError: true });
  expect(failed.answer).toMatchObject({ allow: false, reason: "The server is gone." });
  const allowing = '{"behavior": "allow"}';
  expect((await decided(allowing, { isError: true })).answer.allow).toBe(false);
  expect((await decided("yes")).answer.allow).toBe(false);
  expect((await decided('{"behavior": "perhaps"}')).answer.allow).toBe(false);
});

test("a client answers a question with choices; with nobody there it is not answered", async () => {
  const question = {
    ...askAbout("", { id: "q2" }),
    tool: "AskUserQuestion",
    input: { questions: [{ question: "Which?", options: [{ label: "A" }] }] },
    poll: { options: [{ label: "A" }], takesSeveral: false },
  };
  const said = JSON.stringify({ behavior: "allow", updatedInput: { answers: { "Which?": "A" } } });
  const { answer, call } = await decided(said, { question });
  expect(call?.input).toMatchObject({ tool_name: "AskUserQuestion", input: question.input });
  expect(answer).toMatchObject({ allow: true, input: { answers: { "Which?": "A" } } });
  const toolbox = { run: () => Promise.reject(new Error("Nobody asks a tool.")) };
  const nobody = approverFor({ tool: undefined, channel: null, toolbox, send: () => undefined });
  expect(await nobody(question, new AbortController().signal)).toMatchObject({ allow: false });
});
