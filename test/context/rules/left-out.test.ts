/** What is left out of the conversation after the API refused it. */

import { describe, expect, test } from "bun:test";
import type { ImageBlock } from "../../../src/protocol/block.ts";
import { repairFor } from "../../../src/context/rules/left-out.ts";
import { Builder, call, say } from "../build.ts";

const image = (data: string): ImageBlock => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data },
});

/** Two images in a prompt, then two in the result of a call. */
function withImages(): Builder {
  const one = new Builder();
  one.add({ type: "user", content: [image("first"), image("second"), say("Compare them.")] });
  one.answer([call("c1")]);
  one.result("c1", [say("Two more:"), image("third"), image("fourth")]);
  return one;
}

const leftOut = (message: string): unknown[] | undefined => {
  const { view, path } = withImages();
  return repairFor(message, view)?.blocks.map(({ entry, index }) => [
    path.findIndex(({ id }) => id === entry),
    index,
  ]);
};

describe("only the block that the API names", () => {
  test.each([
    ["messages.0.content.1.image.source: could not process image", [[1, 1]]],
    ["messages.2.content.0.tool_result.content.2.image: invalid", [[3, 2]]],
    ["messages.0.content.2.text: refused", [[1, 2]]],
  ])("%s", (message, expected) => {
    expect(leftOut(message)).toEqual(expected);
  });

  test("every block of a result that is named as a whole", () => {
    expect(leftOut("messages.2.content.0: refused")).toEqual([
      [3, 0],
      [3, 1],
      [3, 2],
    ]);
  });
});

test("a refused image that is not named is one of those that no answer has followed", () => {
  expect(leftOut("Could not process image")).toEqual([
    [3, 1],
    [3, 2],
  ]);
});

test("nothing is left out for a refusal that names no content", () => {
  expect(leftOut("max_tokens: too large")).toBeUndefined();
  expect(leftOut("messages.0.content.1.cache_control: too many")).toBeUndefined();
});
