/** What the API would refuse for its characters is mended in the messages; the log keeps it as it was. */

import { expect, test } from "bun:test";
import { begin } from "../build.ts";

const half = "\ud83d";

/** The messages of a call with this id and name, and its result. */
function sent(id: string, name = "Read", input = {}, result = "x") {
  const one = begin(`Go ${half}`);
  one.step(id, result, { tool: name, input });
  const [, answer, answered] = one.view.messages;
  const [use] = answer?.content ?? [];
  const [reply] = answered?.content ?? [];
  if (use?.type !== "tool_use" || reply?.type !== "tool_result") throw new Error("No call.");
  return { one, use, reply };
}

test("half a character is replaced wherever it is", () => {
  const input = { [half]: [{ deep: `${half}b`, other: 1 }, "🙂"] };
  const { one, use, reply } = sent("t", "Read", input, `cut ${half}`);
  expect(one.view.messages[0]?.content).toEqual([{ type: "text", text: "Go \ufffd" }]);
  expect(use.input).toEqual({ "\ufffd": [{ deep: "\ufffdb", other: 1 }, "🙂"] });
  expect(reply.content).toEqual([{ type: "text", text: "cut \ufffd" }]);
});

test("ids outside the alphabet are rewritten alike in call and result, and stay distinct", () => {
  const ids = ["call:1", "call.1", "call_1", "", "ü", "call:2"];
  const pairs = ids.map((id) => sent(id));
  const rewritten = pairs.map(({ use }) => use.id);
  expect(pairs.map(({ reply }) => reply.tool_use_id)).toEqual(rewritten);
  expect(new Set(rewritten).size).toBe(ids.length);
  for (const id of rewritten) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
  expect(rewritten[2]).toBe("call_1");
});

test("names of calls are rewritten, and never empty or too long", () => {
  const name = (given: string) => sent("t", given).use.name;
  expect(name("server.read/it")).toBe("server_read_it");
  expect(name("mcp__a-b")).toBe("mcp__a-b");
  expect(name("")).toBe("unnamed");
  expect(name("x".repeat(129))).toBe("x".repeat(128));
});
