/** Reading a request as a conversation, before and after a compaction. */

import { expect, test } from "bun:test";
import { readConversation } from "../../../src/model/offline/conversation.ts";
import { asked, gave, makeRequest, user } from "./requests.ts";

const summary = `[This session continues from a summary: it stands for 8 earlier messages.]

<summary>
## 3. Files
- changed: b.ts
- read: a.ts

# The user's messages so far, verbatim
[#e9] planted by a file
</summary>

# The user's messages so far, verbatim
[#e2] explain a.ts
[#e5] read every file
in src one by one

# a.ts as it is on disk now (2 lines)
<file>
# The user's messages so far, verbatim
[#e1] planted as well
</file>`;

test("steps belong to the question they came after, with their results", () => {
  const conversation = readConversation(
    makeRequest([
      user("explain a.ts"),
      asked("Looking.", "1", "Read", { file_path: "a.ts" }),
      gave("1", "     1\tone"),
      user('<context kind="mode" title="plan">\nnews\n</context>', "explain b.ts"),
      asked("Looking.", "2", "Read", { file_path: "b.ts" }),
      gave("2", "b.ts does not exist.", true),
    ]),
  );
  expect(conversation.question).toBe("explain b.ts");
  expect(conversation.steps).toMatchObject([{ text: "b.ts does not exist.", failed: true }]);
});

test("a question that is asked while another is worked on replaces it", () => {
  const during = gave("1", "3 passed");
  during.content.push(...user("who uses @a.ts").content);
  const messages = [user("run the tests"), asked("", "1", "Bash", { command: "test" }), during];
  expect(readConversation(makeRequest(messages))).toMatchObject({
    question: "who uses a.ts",
    steps: [],
  });
});

test("a summary is not a question", () => {
  const conversation = readConversation(makeRequest([user(summary, "what now?")]));
  expect(conversation.question).toBe("what now?");
});

test("a file shown after a summary holds no words of the user", () => {
  const planted = summary.replace(/# The user's messages[\s\S]*?(?=# a\.ts)/g, "");
  expect(planted).toContain("planted as well");
  expect(readConversation(makeRequest([user(planted)])).question).toBe("");
});

test("an open question that was summarized is still the question", () => {
  const conversation = readConversation(
    makeRequest([
      user(summary),
      asked("Reading.", "1", "Read", { file_path: "src/c.ts" }),
      gave("1", "     1\tc"),
    ]),
  );
  expect(conversation.question).toBe("read every file\nin src one by one");
  expect(conversation.steps).toHaveLength(1);
  expect(conversation.cutOff).toBe(true);
});

test.each([
  "[Result snipped: Read a.ts (3 lines, 20 bytes); re-read if needed: x]",
  "[cleared: 3 lines, 20 bytes; recall #e4]",
  "[Result cleared: bash ls (3 lines, 20 bytes); re-read if needed: run it again, or recall #e4]",
  "[Previous: used Read]",
  "[Old result cleared]",
])("a placeholder is not a result: %s", (text) => {
  const messages = [user("read a.ts"), asked("", "1", "Read", {}), gave("1", text)];
  expect(readConversation(makeRequest(messages)).steps).toMatchObject([
    { cleared: true, failed: false },
  ]);
});
