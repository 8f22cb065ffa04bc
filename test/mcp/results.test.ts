import { expect, test } from "bun:test";
import { outputOf } from "../../src/mcp/results.ts";
import { textOf } from "../../src/protocol/block.ts";

test("structured content is no longer than it was sent, however deep it is", async () => {
  const sent = `{"a":${"[".repeat(5_000)}${"1,".repeat(1_000)}1${"]".repeat(5_000)}}`;
  const { content } = await outputOf({ content: [], structuredContent: JSON.parse(sent) });
  expect(textOf(content)).toBe(sent);
});
