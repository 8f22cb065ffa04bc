import { expect, test } from "bun:test";
import { readPermission, permissionRequest } from "../../../src/headless/acp/session.ts";
import type { Ask } from "../../../src/protocol/event.ts";
import { askAbout } from "../../questions.ts";

const ask = askAbout("git push", {
  id: "t1:t2",
  toolUse: "t2",
  title: "general-purpose: Run a command",
});

const contentOf = (asked: Ask) => permissionRequest("s", asked, "/w").toolCall.content;

test("a question of a subagent shows what would run", () => {
  expect(contentOf(ask)).toEqual([
    { type: "content", content: { type: "text", text: "git push" } },
  ]);
});

test("a question that is about no call shows its detail", () => {
  const { input: _, ...other } = { ...ask, detail: "Bash(rm:*)", warning: "Careful." };
  expect(contentOf(other)).toMatchObject([
    { content: { text: "Bash(rm:*)" } },
    { content: { text: "Careful." } },
  ]);
});

test("a change is shown as it was judged", () => {
  const input = { file_path: "a.txt", old_string: "one", new_string: "two" };
  expect(contentOf({ ...ask, tool: "Edit", input })).toEqual([
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
