/** The next step in states that a session rarely reaches. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { createOfflineClient } from "../../../src/model/offline/client.ts";
import { planAnswer } from "../../../src/model/offline/planner.ts";
import { countTokens } from "../../../src/model/offline/conversation.ts";
import {
  readFile,
  runCommand,
  searchText,
  type PlannedCall,
} from "../../../src/model/offline/tools.ts";
import { findSubject, blockText } from "../../../src/protocol/block.ts";
import type { Message, ModelRequest } from "../../../src/protocol/model.ts";
import { asked, gave, makeRequest, user } from "./requests.ts";

const made = (id: string, { tool, input }: PlannedCall): Message => asked("", id, tool, input);
const cleared = "[Result cleared: bash (2 lines, 20 bytes); re-read if needed: run it again]";

function plan(messages: Message[], more: Partial<ModelRequest> = {}) {
  const blocks = planAnswer(makeRequest(messages, more));
  const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [block] : []));
  return { text: blockText(blocks), calls };
}

test("after a declined call it stops, and repeats the reason", () => {
  const { text, calls } = plan([
    user("run `ls`"),
    made("1", runCommand("ls")),
    gave("1", "The user declined this call and said: not now", true),
  ]);
  expect(calls).toEqual([]);
  expect(text).toContain("“not now”");
});

test.each(["where is the log written?", "find total"])(
  "%s is searched for in words, not shown as a regular expression",
  (request) => {
    for (const { input } of plan([user(request)]).calls)
      expect(findSubject(input)).toMatchObject({ key: "description" });
  },
);

test("a search whose result was cleared is repeated once; then it gives up", () => {
  const messages = [user("where is the till?")];
  const first = plan(messages).calls;
  expect(first[0]?.name).toBe(searchText("").tool);
  for (let round = 0; round < 2; round++) {
    const { calls } = plan(messages);
    expect(calls.map(({ input }) => input)).toEqual(first.map(({ input }) => input));
    for (const { id, name, input } of calls)
      messages.push(asked("", id, name, input), gave(id, cleared));
  }
  expect(plan(messages)).toMatchObject({ calls: [], text: expect.stringContaining("too small") });
});

test("a command whose result was cleared is not run again", () => {
  const { text, calls } = plan([
    user("run `make`"),
    made("1", runCommand("make")),
    gave("1", cleared),
  ]);
  expect(calls).toEqual([]);
  expect(text).toContain("its output was removed");
});

const writes = { writable: ["."], description: "It failed because it could write nothing here." };

test("a command that the sandbox stopped is sent again with what it lacked, once", () => {
  const note =
    'If that is why it failed, send it again with writable: ["."] or hosts, which needs approval.]';
  const refusal =
    "npm error\n[exit code 1]\n[The sandbox refused connections: a.example is not allowed. b.example:1 is down. To reach a public host, send the command again with hosts.]";
  const messages = [user("run the command `make`")];
  const answers = [`EROFS\n[exit code 1]\n[This ran without a question. ${note}`, refusal, refusal];
  const sent = answers.map((text, at) => {
    const [call] = plan(messages).calls;
    messages.push(
      asked("", `${at}`, call?.name ?? "", call?.input ?? {}),
      gave(`${at}`, text, true),
    );
    return call?.input;
  });
  expect(sent).toEqual([
    { command: "make" },
    { command: "make", ...writes },
    { command: "make", ...writes, hosts: ["a.example"] },
  ]);
  expect(plan(messages).calls).toEqual([]);
});

test("where nobody allows more, the first failure is reported", () => {
  const failed = 'mkdir: Read-only file system\n[exit code 1]\n[… again with writable: ["."] …]';
  const refused = "No one can approve calls in this run.";
  const { text, calls } = plan([
    user("run the command `make`"),
    made("1", runCommand("make")),
    gave("1", failed, true),
    made("2", runCommand("make", writes)),
    gave("2", refused, true),
  ]);
  expect(calls).toEqual([]);
  expect(text).toContain("`make` failed: exit code 1");
});

test("a long output is shown from both ends, and says that it is a part", () => {
  const lines = Array.from({ length: 40 }, (_, at) => `${at + 1} lines ago`);
  const report = (text: string) =>
    plan([user("run `git log`"), made("1", runCommand("git log")), gave("1", text)]).text;
  expect(report(lines.join("\n"))).toContain("From its output:\n\n```\n1 lines ago\n");
  expect(report(lines.join("\n"))).toContain("9 lines ago\n…\n32 lines ago");
  expect(report(["one", "3 passed"].join("\n"))).toContain("From its output:\n\n```\n3 passed\n");
  expect(report("one\ntwo")).not.toContain("From its output");
});

test("a request that a summary cut off is not started again if it changes something", () => {
  const summary =
    "[This session goes on from a summary: it stands for 9 messages.]\n\n<summary>\n</summary>\n\n# The user's messages so far, word for word\n";
  for (const request of ["run `make`", 'replace "a" with "b" in x.ts']) {
    const read = readFile("x.ts", 1, 1);
    const { text, calls } = plan([
      user(`${summary}[#e2] ${request}`),
      made("1", read),
      gave("1", "     1\ta"),
    ]);
    expect(calls).toEqual([]);
    expect(text).toContain("was compacted while I was working on this");
  }
  expect(plan([user(`${summary}[#e2] where is the till?`)]).calls).toHaveLength(3);
});

test("only available tools are called", () => {
  const { text, calls } = plan([user("where is the meter drawn?")], { tools: [] });
  expect(calls).toEqual([]);
  expect(text).toContain("not available");
});

test("the ids of calls differ between requests", () => {
  expect(plan([user("run `ls`")]).calls[0]?.id).not.toBe(plan([user("run `pwd`")]).calls[0]?.id);
});

test.each([
  "run seq 1 20",
  "$ git status",
  "git log --oneline",
  "run `ls -la`",
  "Please run npm test",
  "ls -la",
])("%s is a command", (request) =>
  expect(plan([user(request)]).calls).toMatchObject([{ name: runCommand("").tool }]),
);

test.each([
  "hello",
  "what can you do?",
  "write me a poem",
  "run a marathon with me",
  "rename total to sum",
  "make it faster",
  "what is the weather like today?",
])("%s is answered with what it can do", (request) => {
  const { text, calls } = plan([user(request)]);
  expect(calls).toEqual([]);
  expect(text).toContain("I'm the offline model");
  expect(text).toContain("/connect");
});

async function answerTo(request: ModelRequest, signal = new AbortController().signal) {
  let text = "";
  for await (const event of createOfflineClient({ windowTokens: 1_000_000 }).stream(
    request,
    signal,
  ))
    if (event.type === "delta" && event.kind === "text") text += event.text;
  return text;
}

test("an answer fits the tokens that the request allows", async () => {
  const texts = fc.array(fc.string({ minLength: 1, maxLength: 400 }), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 20, max: 400 }), async (all, maxTokens) => {
      const messages = all.flatMap((text, at) => [
        user(`ask ${text}`),
        made(`${at}`, readFile(`${at}.ts`)),
        gave(`${at}`, text, at % 2 === 0),
      ]);
      const turn = await answerTo(
        makeRequest([...messages, user("what did I ask?")], { maxTokens }),
      );
      expect(countTokens(turn)).toBeLessThanOrEqual(maxTokens);
    }),
    { numRuns: 30 },
  );
});

test("a prompt that is longer than the window is refused with its sizes", async () => {
  const client = createOfflineClient({ windowTokens: 4_000 });
  const request = makeRequest([user("x".repeat(20_000))]);
  const stream = client.stream(request, new AbortController().signal);
  await expect(stream.next()).rejects.toMatchObject({ kind: "too-long", sizes: { limit: 4_000 } });
});

test("a stop takes effect between two words", async () => {
  const stop = new AbortController();
  const stream = createOfflineClient({ windowTokens: 32_000 }).stream(
    makeRequest([user("hello")]),
    stop.signal,
  );
  let words = 0;
  const listen = async (): Promise<void> => {
    for await (const event of stream) {
      if (event.type === "delta") words += 1;
      if (words === 3) stop.abort();
    }
  };
  await expect(listen()).rejects.toMatchObject({ kind: "aborted" });
  expect(words).toBe(3);
});

test.each([
  ["words", "read all the files of what this "],
  ["spaces", "where is  "],
  ["quotes", 'replace "a" with "'],
  ["fences", "```\nx\n```\nwith\n"],
  ["numbers", "1. run the tests\n"],
])("a long paste of %s is planned in steps that grow with its length only", (_name, piece) => {
  for (const start of ["", "replace\n", "where is the x", "create a.ts with content\n"]) {
    for (const chars of [1_900, 19_000, 60_000]) {
      const request = makeRequest([
        user(`${start}${piece.repeat(Math.ceil(chars / piece.length))}x`),
      ]);
      const before = process.cpuUsage();
      planAnswer(request);
      // This takes seconds if a pattern backtracks, otherwise a few milliseconds, however busy the
      // machine is.
      expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
    }
  }
});
