import { expect, test } from "bun:test";
import { toOutput } from "../../../src/extensions/mcp/tools.ts";
import { blockText } from "../../../src/protocol/block.ts";

test("a file that is not an image is described by size and type", async () => {
  const blob = Buffer.from("ten bytes!").toString("base64");
  const resource = { uri: "f://a", blob, mimeType: "application/pdf" };
  const { content } = await toOutput({ content: [{ type: "resource", resource }] });
  expect(blockText(content)).toBe("[Resource f://a: 10 bytes of application/pdf]");
});

test("structured content is not repeated after its text", async () => {
  const content = [{ type: "text" as const, text: "forty-two" }];
  const output = await toOutput({ content, structuredContent: { answer: 42 } });
  expect(blockText(output.content)).toBe("forty-two");
});

test("text of spaces alone is no output, and structured content takes its place", async () => {
  const content = [{ type: "text" as const, text: " \n" }];
  const said = async (more: object) => blockText((await toOutput({ content, ...more })).content);
  expect(await said({ structuredContent: { answer: 42 } })).toBe('{"answer":42}');
  expect(await said({})).toBe("(no output)");
});

test("structured content is no longer than it was sent, however deep it is", async () => {
  const sent = `{"a":${"[".repeat(5_000)}${"1,".repeat(1_000)}1${"]".repeat(5_000)}}`;
  const { content } = await toOutput({ content: [], structuredContent: JSON.parse(sent) });
  expect(blockText(content)).toBe(sent);
});
