import { expect, test } from "bun:test";
import {
  formRequest,
  permissionRequest,
  readForm,
  readPermission,
} from "../../../src/headless/acp/questions.ts";
import type { Ask } from "../../../src/protocol/event.ts";
import { askAbout } from "../../questions.ts";

const ask = askAbout("git push", {
  id: "t1:t2",
  toolUse: "t2",
  title: "general-purpose: Run a command",
});

const readContent = (asked: Ask) => permissionRequest("s", asked, "/w").toolCall.content;

test("a question of a subagent shows what would run", () => {
  expect(readContent(ask)).toEqual([
    { type: "content", content: { type: "text", text: "git push" } },
  ]);
});

test("a question that is about no call shows its detail", () => {
  const { input: _, ...other } = { ...ask, detail: "Bash(rm:*)", warning: "Careful." };
  expect(readContent(other)).toMatchObject([
    { content: { text: "Bash(rm:*)" } },
    { content: { text: "Careful." } },
  ]);
});

test("a change is shown as it was judged", () => {
  const input = { file_path: "a.txt", old_string: "one", new_string: "two" };
  expect(readContent({ ...ask, tool: "Edit", input })).toEqual([
    { type: "diff", path: "/w/a.txt", oldText: "one", newText: "two" },
  ]);
});

test("an editor offers the choices of a question, and its answer names one", () => {
  const question: Ask = {
    ...askAbout("", { id: "q" }),
    poll: {
      options: [{ label: "Red" }, { label: "Blue", description: "calm" }],
      takesSeveral: false,
    },
  };
  const { options } = permissionRequest("s", question, "/w");
  expect(options.map(({ name }) => name)).toEqual(["Red", "Blue: calm", "Do not answer"]);
  const chosen = { outcome: { outcome: "selected" as const, optionId: "1" } };
  expect(readPermission(chosen, question)).toEqual({
    allow: true,
    scope: "once",
    input: { answer: "Blue" },
  });
  const none = { outcome: { outcome: "selected" as const, optionId: "no" } };
  expect(readPermission(none, question)).toEqual({ allow: false });
});

test("an editor with forms takes free words and a changed plan", () => {
  const options = [{ label: "Carry it out" }, { label: "Keep planning", description: "not yet" }];
  const poll = { options, takesSeveral: false, editable: "1. Sail" };
  const question: Ask = { ...askAbout("", { id: "q", title: "Carry out this plan?" }), poll };
  expect(formRequest("s", question)).toMatchObject({
    mode: "form",
    sessionId: "s",
    message: "Carry out this plan?",
    requestedSchema: {
      properties: {
        answer: { type: "string", oneOf: [{ const: "Carry it out" }, { description: "not yet" }] },
        words: { type: "string" },
        plan: { type: "string", default: "1. Sail" },
      },
    },
  });
  const content = { answer: "Carry it out", plan: "1. Row" };
  const once = { allow: true, scope: "once" } as const;
  expect(readForm({ action: "accept", content }, question)).toEqual({
    ...once,
    input: { answer: "Carry it out", text: "1. Row" },
  });
  expect(readForm({ action: "accept", content: { ...content, words: "Wait." } }, question)).toEqual(
    {
      ...once,
      input: { answer: "Wait.", text: "1. Row" },
    },
  );
  for (const response of [{ action: "decline" }, { action: "accept", content: {} }])
    expect(readForm(response, question)).toEqual({ allow: false });
});

test("an editor with forms fills in that of a server", () => {
  const fields = [
    { name: "port", label: "Port", isRequired: true, kind: "number", isInteger: true },
  ] as const;
  const asked: Ask = { ...askAbout("", { id: "q" }), form: { fields, defaults: { port: 80 } } };
  expect(formRequest("s", asked)).toMatchObject({
    requestedSchema: {
      properties: { port: { type: "integer", title: "Port", default: 80 } },
      required: ["port"],
    },
  });
  const content = { port: 8080 };
  expect(readForm({ action: "accept", content }, asked)).toMatchObject({ input: content });
});
