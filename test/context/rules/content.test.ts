import { expect, test } from "bun:test";
import { wellFormed } from "../../../src/context/view/well-formed.ts";
import type { Block } from "../../../src/protocol/block.ts";

const half = "\ud83d";
const use = (id: string, name = "Read", input = {}): Block => ({
  type: "tool_use",
  id,
  name,
  input,
});
const result = (id: string, text: string): Block => ({
  type: "tool_result",
  tool_use_id: id,
  content: [{ type: "text", text }],
});
const readId = (block: Block): string =>
  block.type === "tool_use" ? block.id : block.type === "tool_result" ? block.tool_use_id : "";

test.each<[string, Block]>([
  ["text", { type: "text", text: "whole 🙂" }],
  ["call", use("toolu_1-a", "mcp__a-b", { deep: [{ text: "🙂" }, 1, null, true] })],
  ["result", result("toolu_1-a", "🙂")],
  ["thinking, even malformed", { type: "thinking", thinking: half, signature: "s" }],
])("a well-formed block is returned as it is: %s", (_, block) => {
  expect(wellFormed(block)).toBe(block);
});

test("half a character is replaced wherever it is", () => {
  expect(wellFormed({ type: "text", text: `a${half}` })).toEqual({ type: "text", text: "a\ufffd" });
  expect(wellFormed(result("t", half))).toEqual(result("t", "\ufffd"));
  const input = { [half]: [{ deep: `${half}b`, other: 1 }, "c"] };
  expect(wellFormed(use("t", "Read", input))).toEqual(
    use("t", "Read", { "\ufffd": [{ deep: "\ufffdb", other: 1 }, "c"] }),
  );
});

test("ids outside the alphabet are rewritten alike in call and result, and stay distinct", () => {
  const ids = ["call:1", "call.1", "call_1", "", "ü", "call:2"];
  const rewritten = ids.map((id) => readId(wellFormed(use(id))));
  expect(ids.map((id) => readId(wellFormed(result(id, "x"))))).toEqual(rewritten);
  expect(new Set(rewritten).size).toBe(ids.length);
  for (const id of rewritten) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
  expect(rewritten[2]).toBe("call_1");
});

test("names of calls are rewritten, and never empty or too long", () => {
  const repairName = (name: string) => {
    const block = wellFormed(use("t", name));
    return block.type === "tool_use" && block.name;
  };
  expect(repairName("server.read/it")).toBe("server_read_it");
  expect(repairName("")).toBe("unnamed");
  expect(repairName("x".repeat(129))).toBe("x".repeat(128));
  expect(repairName("x".repeat(128))).toBe("x".repeat(128));
});
