import { expect, test } from "bun:test";
import { readImage, readImageUrl } from "../../../src/commands/import/blocks.ts";

const text = (words: string) => ({ type: "text" as const, text: words });
const image = (media_type: string, data: string) =>
  expect.objectContaining({ type: "image", source: { type: "base64", media_type, data } });

test.each([
  ["iVBORw0KGgo=", "image/png"],
  ["/9j/AA==", "image/jpeg"],
  ["R0lGODlh", "image/gif"],
  ["UklGRhoAAABXRUJQ", "image/webp"],
])("%s is of the type %s, whatever it claims", (data, type) => {
  expect(readImage(data)).toEqual(image(type, data));
  expect(readImageUrl(`data:image/bmp;base64,${data}`)).toEqual(image(type, data));
});

test("an image that cannot be sent is replaced by words", () => {
  expect(readImage("UklGRhoAAABXQVZF")).toEqual(readImage("Qk0="));
  expect(readImage("Qk0=")).toEqual(text("[An image was here, in a form that cannot be sent.]"));
  expect(readImage("/9j/A A")).toEqual(text("[A damaged image was here.]"));
  expect(readImageUrl(`https://a.example/${"x".repeat(300)}`)).toEqual(
    text(`[An image was here: https://a.example/${"x".repeat(182)}]`),
  );
});

test("an image that is too large is left out", () => {
  const most = 7 * 1024 * 1024;
  expect(readImage(`/9j/${"A".repeat(most - 4)}`).type).toBe("image");
  expect(readImage(`/9j/${"A".repeat(most - 3)}`)).toEqual(text("[An image of 6 MB was here.]"));
});
