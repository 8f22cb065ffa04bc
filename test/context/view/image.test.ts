/** The tokens of an image. */

import { expect, test } from "bun:test";
import { imageSize, imageTokens } from "../../../src/protocol/image.ts";
import type { ImageBlock } from "../../../src/protocol/block.ts";
import { Builder } from "../build.ts";

test("an image costs tokens by its size, if its header has one", () => {
  const size = (media_type: "image/png" | "image/jpeg", bytes: number[]) => {
    const session = new Builder();
    const data = btoa(String.fromCharCode(...bytes));
    session.add({
      type: "user",
      content: [{ type: "image", source: { type: "base64", media_type, data } }],
    });
    return session.view.rows[1]?.charsByKind.imageTokens;
  };
  const png = [
    0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 2, 0x58, 0, 0, 1,
    0x2c,
  ];
  expect(size("image/png", png)).toBe(240);
  const jpeg = [
    0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 11, 8, 1, 0x2c, 2, 0x58, 3, 1, 1, 1,
  ];
  expect(size("image/jpeg", jpeg)).toBe(240);
  expect(size("image/png", [1, 2, 3])).toBe(1_600);
  expect(size("image/jpeg", [0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0])).toBe(1_600);
  const session = new Builder();
  session.add({
    type: "user",
    content: [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "*no base64*" } },
    ],
  });
  expect(session.view.rows[1]?.charsByKind.imageTokens).toBe(1_600);
});

test.each<[ImageBlock["source"]["media_type"], string]>([
  ["image/gif", "GIF89a\x58\x02\x2c\x01"],
  ["image/webp", "RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x58\x02\x2c\x01"],
  ["image/webp", "RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x57\xc2\x4a\0"],
  ["image/webp", "RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x57\x02\0\x2b\x01\0"],
])("the size of %s", (media_type, bytes) => {
  const source = { type: "base64" as const, media_type, data: btoa(bytes.padEnd(60, "\x7f")) };
  expect(imageSize({ source })).toEqual({ width: 600, height: 300 });
  const broken = btoa("nonsense".padEnd(60, "\0"));
  expect(imageSize({ source: { ...source, data: broken } })).toBeNull();
});

test("large images are scaled down, tiny ones cost a token, impossible ones the usual", () => {
  const bytes = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
  const tokens = (width: number, height: number): number => {
    const header = [0x89, 0x50, 0x4e, 0x47, ...Array<number>(12).fill(0)];
    const data = btoa(String.fromCharCode(...header, ...bytes(width), ...bytes(height)));
    return imageTokens({ source: { type: "base64", media_type: "image/png", data } });
  };
  expect(tokens(1_568, 1_000)).toBe(Math.ceil((1_568 * 1_000) / 750));
  expect(tokens(3_136, 1_568)).toBe(Math.ceil((1_568 * 784) / 750));
  expect(tokens(1_000, 3_136)).toBe(Math.ceil((500 * 1_568) / 750));
  expect([tokens(1, 1), tokens(25, 30), tokens(25, 31)]).toEqual([1, 1, 2]);
  expect([tokens(0, 9), tokens(9, 100_000), tokens(9, 99_999)]).toEqual([1_600, 1_600, 1]);
});
