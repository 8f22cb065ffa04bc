import { expect, test } from "bun:test";
import {
  canUseTool,
  failedDecision,
  readDecision,
} from "../../../src/headless/control/permission.ts";
import { readInitialize } from "../../../src/headless/control/initialize.ts";
import { askAbout } from "../../questions.ts";

const ask = askAbout("git push", {
  description: "Publish the release",
  warning: "This command changes the server.",
  rule: "exactly this command",
  always: { rule: "Bash(git push)", file: "/home/.mini-claude/settings.json" },
});

test("a question names the call, its input, the reason and the rule that would allow more", () => {
  expect(canUseTool(ask)).toMatchObject({
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: { command: "git push" },
    tool_use_id: "t1",
    description: "Publish the release",
    decision_reason: "This command changes the server.",
    permission_suggestions: [
      {
        type: "addRules",
        rules: [{ toolName: "Bash", ruleContent: "git push" }],
        behavior: "allow",
        destination: "session",
      },
    ],
  });
  expect(canUseTool({ ...ask, rule: null })).not.toHaveProperty("permission_suggestions");
  expect(Object.keys(canUseTool(askAbout("ls")))).toEqual(
    "subtype tool_name input tool_use_id title".split(" "),
  );
});

const rules = (destination: string) => [
  { type: "addRules", rules: [], behavior: "allow", destination },
];

test.each([
  [{ behavior: "allow" }, { allow: true, scope: "once" }],
  [
    { behavior: "allow", updatedInput: { command: "ls" } },
    { allow: true, scope: "once", input: { command: "ls" } },
  ],
  [
    { behavior: "allow", updatedPermissions: rules("session") },
    { allow: true, scope: "session" },
  ],
  [
    { behavior: "allow", updatedPermissions: rules("userSettings") },
    { allow: true, scope: "always" },
  ],
  // Other changes in the answer do not allow further calls.
  ...[
    { type: "addRules", behavior: "deny" },
    { type: "removeRules", behavior: "allow" },
  ].map((update): [object, object] => [
    { behavior: "allow", updatedPermissions: [{ ...update, rules: [], destination: "session" }] },
    { allow: true, scope: "once" },
  ]),
  [
    { behavior: "deny", message: "Not today." },
    { allow: false, reason: "Not today.", isResult: true },
  ],
  [{ behavior: "maybe" }, { allow: false }],
  [null, { allow: false }],
])("%j", (response, answer) => {
  const decision = readDecision(response);
  expect(decision.answer).toMatchObject(answer);
  // The turn continues.
  expect(decision.interrupts).toBe(false);
});

test("an answer can change the mode, or end the turn; a failed request is a denial", () => {
  const updatedPermissions = [{ type: "setMode", mode: "acceptEdits", destination: "session" }];
  expect(readDecision({ behavior: "allow", updatedPermissions }).mode).toBe("accept-edits");
  expect(readDecision({ behavior: "deny", interrupt: true }).interrupts).toBe(true);
  const lost = failedDecision(new Error("The client has closed the connection."));
  expect(lost.answer).toEqual({ allow: false, reason: "The client has closed the connection." });
});

test("initialize: prompts, hooks, agents and servers; anything else is left out", () => {
  const hook = { matcher: "Bash", hookCallbackIds: ["a", "b"], timeout: 3 };
  const request = {
    systemPrompt: ["You are a pirate.", "", "Be brief."],
    appendSystemPrompt: "Rhyme.",
    jsonSchema: { type: "object" },
    hooks: { PreToolUse: [hook], Stop: [{ hookCallbackIds: ["c"] }] },
    agents: {
      scout: { description: "Looks", prompt: "Look.", model: "inherit" },
      judge: { description: "Judges", prompt: "Judge.", model: "opus", tools: ["Read"] },
    },
    sdkMcpServers: ["local"],
    plugins: [],
  };
  const initialize = readInitialize(request);
  expect(initialize).toMatchObject({
    system: "You are a pirate.\n\nBe brief.",
    append: "Rhyme.",
    jsonSchema: { type: "object" },
    servers: ["local"],
    agents: [
      { name: "scout", prompt: "Look.", tools: null, model: null, readsOnly: false },
      { name: "judge", prompt: "Judge.", tools: ["Read"], model: "opus", readsOnly: false },
    ],
  });
  expect(initialize.hooks).toEqual([
    { event: "PreToolUse", matcher: "Bash", callbackId: "a", timeoutMs: 3_000 },
    { event: "PreToolUse", matcher: "Bash", callbackId: "b", timeoutMs: 3_000 },
    { event: "Stop", matcher: undefined, callbackId: "c", timeoutMs: undefined },
  ]);
  const unset = { system: undefined, append: undefined, jsonSchema: undefined };
  const none = { ...unset, hooks: [], agents: [], servers: [], stopsEachTask: false };
  expect(readInitialize({ systemPrompt: [""] })).toEqual(none);
  expect(readInitialize(null)).toEqual(none);
});
