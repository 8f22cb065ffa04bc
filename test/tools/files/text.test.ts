import { describe, expect, test } from "bun:test";
import {
  decodeText,
  encodeText,
  findLineEnding,
  withLineEnding,
} from "../../../src/tools/files/text.ts";
import { ToolError } from "../../../src/tools/tool.ts";

describe("bytes become text and the same bytes again", () => {
  test.each([
    ["UTF-8", Buffer.from("grün\r\n🙂"), "grün\r\n🙂", "utf8", false],
    ["UTF-8 with a mark", Buffer.from("\uFEFFgrün"), "grün", "utf8", true],
    ["two marks", Buffer.from("\uFEFF\uFEFFx"), "\uFEFFx", "utf8", true],
    ["UTF-16 LE", Buffer.from("\uFEFFgrün🙂", "utf16le"), "grün🙂", "utf16le", true],
    ["UTF-16 BE", Buffer.from("\uFEFFgrün", "utf16le").swap16(), "grün", "utf16be", true],
    ["Latin-1", Buffer.from("grün\xff", "latin1"), "grün\xff", "latin1", false],
    [
      "a mark before bytes that are not UTF-8",
      Buffer.from([0xef, 0xbb, 0xbf, 0x67, 0xfc]),
      "gü",
      "latin1",
      true,
    ],
    ["nothing", Buffer.from(""), "", "utf8", false],
    ["the start of a mark", Buffer.from([0xef, 0xbb]), "ï»", "latin1", false],
  ] as const)("%s", (_, bytes, text, encoding, bom) => {
    const decoded = decodeText(bytes);
    expect(decoded).toEqual({ text, encoding, bom });
    if (decoded) expect(encodeText(decoded)).toEqual(bytes);
  });

  test.each([
    ["a null byte", Buffer.from("a\0b")],
    ["half a UTF-16 character", Buffer.from([0xff, 0xfe, 0x61])],
    ["half a UTF-16 BE character", Buffer.from([0xfe, 0xff, 0x61])],
  ])("%s is not text", (_, bytes) => {
    expect(decodeText(bytes)).toBeNull();
  });

  test("a character that the encoding cannot store is refused", () => {
    const latin = { encoding: "latin1", bom: false } as const;
    expect(encodeText({ ...latin, text: "\u00ff" })).toEqual(Buffer.from([0xff]));
    expect(() => encodeText({ ...latin, text: "\u0100" })).toThrow(ToolError);
  });
});

test.each([
  ["a\nb\n", "\n"],
  ["a\r\nb\r\n", "\r\n"],
  ["a\r\nb\r\nc\n", "\r\n"],
  ["a\r\nb\n", "\n"],
  ["a", "\n"],
] as const)("the line ending of %j is %j", (text, ending) => {
  expect(findLineEnding(text)).toBe(ending);
});

test("line endings are converted, lone carriage returns are not", () => {
  expect(withLineEnding("a\nb\r\nc\rd", "\r\n")).toBe("a\r\nb\r\nc\rd");
  expect(withLineEnding("a\nb\r\nc\rd", "\n")).toBe("a\nb\nc\rd");
});
