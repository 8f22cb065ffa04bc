/** What comes next, in states of a turn that the tools alone do not bring about. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { planAnswer } from "../../../src/apps/offline/planner.ts";
import { createOfflineClient } from "../../../src/apps/offline/client.ts";
import { tokensIn } from "../../../src/apps/offline/tokenizer.ts";
import { textOf, type AssistantBlock } from "../../../src/protocol/block.ts";
import type { Message, ModelRequest } from "../../../src/protocol/model.ts";
import { asked, gave, requestOf, user } from "./requests.ts";

const calls = (blocks: readonly AssistantBlock[]) =>
  blocks.flatMap((block) => (block.type === "tool_use" ? [block] : []));

const gone = "[Result cleared: glob src (2 lines, 20 bytes); re-read if needed: run it again]";
const each = "read every file in src one by one";

test("a call that the person declined is taken as it is, with the reason", () => {
  const blocks = planAnswer(
    requestOf([
      user("1. run `ls`\n2. run `pwd`\n3. git status"),
      asked("**Step 1 of 3: run `ls`**", "1", "bash", { command: "ls" }),
      gave("1", "The user declined this call and said: not now", true),
    ]),
  );
  expect(calls(blocks)).toEqual([]);
  expect(textOf(blocks)).toContain("“not now”");
});

test("a list that was cut away is made again, and what was read is not read again", () => {
  const before = [
    user(each),
    asked("", "1", "glob", { pattern: "**/*", path: "src" }),
    gave("1", gone),
    asked("", "2", "read_file", { path: "src/a.ts" }),
    gave("2", gone),
  ];
  const [list] = calls(planAnswer(requestOf(before)));
  expect(list).toMatchObject({ name: "glob", input: { path: "src" } });
  const after = [
    ...before,
    asked("", "3", "glob", list?.input ?? {}),
    gave("3", "src/a.ts\nsrc/b.ts"),
  ];
  expect(calls(planAnswer(requestOf(after)))).toMatchObject([{ input: { path: "src/b.ts" } }]);
});

test("it does not ask for ever what is cut away for ever", () => {
  const messages: Message[] = [user(each)];
  for (let round = 0; round < 20; round++) {
    const blocks = planAnswer(requestOf(messages));
    const [call] = calls(blocks);
    if (!call) {
      expect(textOf(blocks)).toContain("too small");
      return;
    }
    messages.push({ role: "assistant", content: blocks }, gave(call.id, gone));
  }
  throw new Error("It goes on and on.");
});

test("after a summary in mid-turn it goes on where the summary stands", () => {
  const summary =
    "[This session continues from a summary: it stands for 9 messages.]\n\n<summary>\n3. Files:\n- read: src/a.ts\n</summary>\n\n" +
    `# The user's messages so far, verbatim\n[#e2] ${each}`;
  const blocks = planAnswer(
    requestOf([
      user(summary),
      asked("", "1", "glob", { pattern: "**/*", path: "src" }),
      gave("1", "src/a.ts\nsrc/b.ts"),
    ]),
  );
  expect(calls(blocks)).toMatchObject([{ input: { path: "src/b.ts" } }]);
});

test("“continue” takes up what was stopped", () => {
  const blocks = planAnswer(
    requestOf([
      user(each),
      asked("", "1", "glob", { pattern: "**/*", path: "src" }),
      gave("1", "src/a.ts\nsrc/b.ts"),
      asked("", "2", "read_file", { path: "src/a.ts" }),
      gave("2", "Interrupted by the user before it finished.", true),
      user("continue"),
    ]),
  );
  expect(calls(blocks)).toMatchObject([{ input: { path: "src/a.ts" } }]);
});

test("a list of requests is gone through with a todo list; what is none of its own is said to be", () => {
  const messages: Message[] = [user("1. run `ls`\n2. dance a waltz\n3. run `pwd`")];
  const statuses: string[] = [];
  for (let round = 0; round < 6; round++) {
    const blocks = planAnswer(requestOf(messages));
    messages.push({ role: "assistant", content: blocks });
    for (const call of calls(blocks)) {
      if (call.name === "todo")
        statuses.push(
          [...JSON.stringify(call.input).matchAll(/"status":"(\w)/g)].map((one) => one[1]).join(""),
        );
      messages.push(gave(call.id, call.name === "bash" ? "out" : "ok"));
    }
  }
  expect(statuses).toEqual(["icp", "dci", "dcd"]);
  const last = messages.findLast(({ role }) => role === "assistant");
  expect(textOf(last?.content ?? [])).toContain("2 of 3 steps; “dance a waltz” I cannot do");
});

test("only tools that are there are called", () => {
  const blocks = planAnswer(requestOf([user("where is the meter drawn?")], { tools: [] }));
  expect(calls(blocks)).toEqual([]);
  expect(textOf(blocks)).toContain("do not have");
});

test("ids of calls differ where requests differ", () => {
  const first = calls(planAnswer(requestOf([user("run `ls`")])));
  const second = calls(planAnswer(requestOf([user("run `pwd`")])));
  expect(first[0]?.id).not.toBe(second[0]?.id);
});

async function answerTo(request: ModelRequest, signal = new AbortController().signal) {
  let text = "";
  let stops = 0;
  for await (const event of createOfflineClient({ windowTokens: 1_000_000 }).stream(
    request,
    signal,
  )) {
    if (event.type === "delta" && event.kind === "text") text += event.text;
    if (event.type === "stop") stops += 1;
  }
  return { text, stops };
}

test("an answer and a summary fit the room that the request gives them", async () => {
  const long = fc.array(fc.string({ minLength: 1, maxLength: 400 }), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(long, fc.integer({ min: 20, max: 400 }), async (texts, maxTokens) => {
      const messages = texts.flatMap((text, at) => [
        user(`ask ${text}`),
        asked(text, `${at}`, "read_file", { path: `${at}.ts` }),
        gave(`${at}`, text, at % 2 === 0),
      ]);
      const ask = [...messages, user("Summarise.")];
      const summary = await answerTo(requestOf(ask, { purpose: "summary", maxTokens }));
      expect(tokensIn(summary.text)).toBeLessThanOrEqual(maxTokens);
      expect(summary.text).toEndWith("</summary>");
      const turn = await answerTo(requestOf([...messages, user("what did I ask?")], { maxTokens }));
      expect(tokensIn(turn.text)).toBeLessThanOrEqual(maxTokens);
    }),
    { numRuns: 30 },
  );
});

test("a summary says what is open and does not take its own prompt for the user's words", async () => {
  const items = [
    { text: "first", status: "done" },
    { text: "second", status: "in_progress" },
  ];
  const { text } = await answerTo(
    requestOf(
      [
        user("always use tabs. fix it"),
        asked("", "1", "todo", { items }),
        gave("1", "1 of 2 done"),
        asked("", "2", "bash", { command: "make" }),
        {
          role: "user",
          content: [
            ...gave("2", "boom\n[exit code 2]", true).content,
            ...user("Write a summary.").content,
          ],
        },
      ],
      { purpose: "summary" },
    ),
  );
  for (const words of ["always use tabs", "second (in_progress)", "`make`: failed", "Go on with"])
    expect(text).toContain(words);
  expect(text).not.toContain("Write a summary");
});

test("a stop is heard between two words", async () => {
  const stop = new AbortController();
  const client = createOfflineClient();
  const request = requestOf([user("hello")], { tools: [] });
  let words = 0;
  const hear = async () => {
    for await (const event of client.stream(request, stop.signal)) {
      if (event.type === "delta") words += 1;
      if (words === 3) stop.abort();
    }
  };
  expect(await hear().catch((error: unknown) => error)).toMatchObject({ kind: "aborted" });
  expect(words).toBe(3);
});

test("a stopped stream ends at once", async () => {
  const stop = new AbortController();
  stop.abort();
  expect(answerTo(requestOf([user("hello")]), stop.signal)).rejects.toMatchObject({
    kind: "aborted",
  });
});

test.each([
  ["words", "read all the files of what this "],
  ["blanks", "where is  "],
  ["spaces", " "],
  ["marks", " ? !"],
  ["lines", "read all of\n"],
  ["quotes", 'replace "a" with "'],
  ["fences", "```\nx\n```\nwith\n"],
  ["numbers", "1. run the tests\n"],
  ["thens", "git status, and then "],
])("a paste of many %s does not hold the program up", (_name, piece) => {
  for (const start of ["", "replace\n", "where is the x", "create a.ts with content\n"]) {
    for (const chars of [1_900, 19_000, 60_000]) {
      const question = `${start}${piece.repeat(Math.ceil(chars / piece.length))}x`;
      const before = performance.now();
      planAnswer(requestOf([user(question)]));
      // Seconds where a pattern goes back and forth; a few milliseconds where none does.
      expect(performance.now() - before).toBeLessThan(2_000);
    }
  }
});

test("the history is searched and opened by the tool for it", () => {
  const search = [user("what did we say about the harbour earlier?")];
  expect(calls(planAnswer(requestOf(search)))).toMatchObject([
    { name: "recall", input: { query: "the harbour" } },
  ]);
  const [open] = calls(planAnswer(requestOf([user("recall #e12")])));
  expect(open).toMatchObject({ name: "recall", input: { open: "#e12" } });
  const found = [
    ...search,
    asked("", "1", "recall", { query: "the harbour" }),
    gave("1", "#e4  the user said\n    Where is the harbour?"),
  ];
  const answer = planAnswer(requestOf(found));
  expect(calls(answer)).toEqual([]);
  expect(textOf(answer)).toContain("Where is the harbour?");
});
