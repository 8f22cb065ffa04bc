import { expect, test } from "bun:test";
import { parseServerName, toolName } from "../../../src/extensions/mcp/listing.ts";

test("a tool's name holds its server, and only characters that all APIs accept", () => {
  expect(toolName("mail", "send-all_2")).toBe("mcp__mail__send-all_2");
  expect(toolName("mail", "send all.é")).toBe("mcp__mail__send_all__");
});

test("a long name keeps its start and differs from others with that start", () => {
  const longest = toolName("mail", "x".repeat(53));
  expect(longest).toBe(`mcp__mail__${"x".repeat(53)}`);
  const [one, other] = [toolName("mail", `${"x".repeat(54)}`), toolName("mail", "x".repeat(55))];
  expect(one).toMatch(/^mcp__mail__x{44}_[\da-f]{8}$/);
  expect(other).toMatch(/^mcp__mail__x{44}_[\da-f]{8}$/);
  expect(one).not.toBe(other);
  expect(toolName("mail", "x".repeat(54))).toBe(one);
});

test.each([
  ["mcp__mail__send", "mail"],
  ["mcp__my_mail__send__all", "my_mail"],
  ["mcp__mail__", null],
  ["mcp____send", null],
  ["mcp__mail", null],
  ["a_mcp__mail__send", null],
  ["Bash", null],
])("%s is a tool of %p", (name, server) => {
  expect(parseServerName(name)).toBe(server);
});
