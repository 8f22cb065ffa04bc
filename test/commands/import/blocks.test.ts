import { expect, test } from "bun:test";
import { contentBlocks } from "../../../src/commands/import/blocks.ts";
import { Skipped } from "../../../src/commands/import/source.ts";

const text = (words: string) => ({ type: "text" as const, text: words });
const image = (media_type: string, data: string) =>
  expect.objectContaining({ type: "image", source: { type: "base64", media_type, data } });

const read = (block: object) => contentBlocks([block], new Skipped())[0];
const readImage = (data: string) => read({ type: "image", source: { data } });
const readUrl = (image_url: unknown) => read({ type: "input_image", image_url });

test.each([
  ["iVBORw0KGgo=", "image/png"],
  ["/9j/AA==", "image/jpeg"],
  ["R0lGODlh", "image/gif"],
  ["UklGRhoAAABXRUJQ", "image/webp"],
])("%s is of the type %s, whatever it claims", (data, type) => {
  expect(readImage(data)).toEqual(image(type, data));
  expect(read({ type: "image", data })).toEqual(image(type, data));
  const url = `data:image/bmp;base64,${data}`;
  expect(readUrl(url)).toEqual(image(type, data));
  expect(readUrl({ url })).toEqual(image(type, data));
});

test("an image that cannot be sent is replaced by a line of text", () => {
  const most = 7 * 1024 * 1024;
  const tooLarge = `/9j/${"A".repeat(most - 3)}`;
  for (const data of ["UklGRhoAAABXQVZF", "Qk0=", "/9j/A A", tooLarge])
    expect(readImage(data)).toEqual(text("[An image was here that cannot be sent.]"));
  expect(readImage(`/9j/${"A".repeat(most - 4)}`)?.type).toBe("image");
  expect(readUrl("https://a.example/x")).toEqual(text("[An image was here: https://a.example/x]"));
});

test("other blocks are named in a line of text, and counted", () => {
  const skipped = new Skipped();
  const blocks = [
    { type: "document", source: {} },
    { type: "tool_use", name: "Bash", input: {} },
  ];
  expect(contentBlocks([...blocks, 7], skipped)).toEqual([
    text("[document]"),
    text("[tool_use Bash {}]"),
  ]);
  expect(skipped.kinds).toEqual([
    ["blocks that cannot be read", 1],
    ["document blocks, kept as a line of text", 1],
    ["tool_use blocks, kept as a line of text", 1],
  ]);
});
