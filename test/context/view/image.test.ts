/** The tokens of an image. */

import { expect, test } from "bun:test";
import { imageSize, imageTokens } from "../../../src/protocol/image.ts";
import type { ImageBlock } from "../../../src/protocol/block.ts";
import { Builder } from "../build.ts";

const png = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x58\0\0\x01\x2c";
const source = (bytes: string, media_type: ImageBlock["source"]["media_type"] = "image/png") => ({
  type: "base64" as const,
  media_type,
  data: btoa(bytes),
});

test("an image costs tokens by its size, if its header has one", () => {
  const tokens = (image: ImageBlock["source"]) => {
    const session = new Builder();
    session.add({ type: "user", content: [{ type: "image", source: image }] });
    const { chars, charsByKind } = session.view.rows[1] ?? {};
    expect(chars).toBe(4 * (charsByKind?.imageTokens ?? 0));
    return charsByKind?.imageTokens;
  };
  expect(tokens(source(png))).toBe(240);
  expect(tokens(source("\x01\x02\x03"))).toBe(1_600);
  expect(tokens(source("\xff\xd8\xff\xe0\0\0\0\0", "image/jpeg"))).toBe(1_600);
  expect(tokens({ ...source(""), data: "*no base64*" })).toBe(1_600);
});

test.each<[ImageBlock["source"]["media_type"], string]>([
  ["image/png", png],
  [
    "image/jpeg",
    "\xff\xd8\xff\xe0\0\x04\x01\x02\xff\xc2\0\x0b\x08\x01\x2c\x02\x58\x03\x01\x01\x01",
  ],
  ["image/gif", "GIF89a\x58\x02\x2c\x01"],
  ["image/webp", "RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x58\x02\x2c\x01"],
  ["image/webp", "RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x57\xc2\x4a\0"],
  ["image/webp", "RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x57\x02\0\x2b\x01\0"],
])("the size of %s", (media_type, bytes) => {
  const sizeOf = (text: string) => imageSize({ source: source(text, media_type) });
  expect(sizeOf(bytes.padEnd(60, "\x7f"))).toEqual({ width: 600, height: 300 });
  expect(sizeOf("nonsense".padEnd(60, "\0"))).toBeNull();
});

test("large images are scaled down, tiny ones cost a token, impossible ones the usual", () => {
  const bytes = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
  const tokens = (width: number, height: number): number => {
    const header = [0x89, 0x50, 0x4e, 0x47, ...Array<number>(12).fill(0)];
    const text = String.fromCharCode(...header, ...bytes(width), ...bytes(height));
    return imageTokens({ source: source(text) });
  };
  expect(tokens(1_568, 1_000)).toBe(Math.ceil((1_568 * 1_000) / 750));
  expect(tokens(3_136, 1_568)).toBe(Math.ceil((1_568 * 784) / 750));
  expect(tokens(1_000, 3_136)).toBe(Math.ceil((500 * 1_568) / 750));
  expect([tokens(1, 1), tokens(25, 30), tokens(25, 31)]).toEqual([1, 1, 2]);
  expect([tokens(0, 9), tokens(9, 100_000), tokens(9, 99_999)]).toEqual([1_600, 1_600, 1]);
});
