import { describe, expect, test } from "bun:test";
import {
  decodeText,
  encodeText,
  findLineEnding,
  withLineEnding,
} from "../../../src/tools/files/text.ts";
import { encodeAs } from "../../../src/tools/files/encodings.ts";
import fc from "../../properties.ts";
import { ToolError } from "../../../src/tools/tool.ts";

describe("bytes become text and the same bytes again", () => {
  test.each([
    ["UTF-8", Buffer.from("grün\r\n🙂"), "grün\r\n🙂", "utf8", false],
    ["UTF-8 with a mark", Buffer.from("\uFEFFgrün"), "grün", "utf8", true],
    ["two marks", Buffer.from("\uFEFF\uFEFFx"), "\uFEFFx", "utf8", true],
    ["UTF-16 LE", Buffer.from("\uFEFFgrün🙂", "utf16le"), "grün🙂", "utf-16le", true],
    ["UTF-16 BE", Buffer.from("\uFEFFgrün", "utf16le").swap16(), "grün", "utf-16be", true],
    ["Latin-1", Buffer.from("grün\xff", "latin1"), "grün\xff", "windows-1252", false],
    [
      "a mark before bytes that are not UTF-8",
      Buffer.from([0xef, 0xbb, 0xbf, 0x67, 0xfc]),
      "gü",
      "windows-1252",
      true,
    ],
    ["nothing", Buffer.from(""), "", "utf8", false],
    ["the start of a mark", Buffer.from([0xef, 0xbb]), "п»", "windows-1251", false],
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
    const latin = { encoding: "windows-1252", bom: false } as const;
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

const samples = {
  gbk: "// 计算两个数的和\nint add(int a, int b);\n",
  gb18030: "// 计算两个数的和，㐂\u3400返回结果并且处理错误\n",
  big5: "這是一個測試檔案，用來檢查編碼。\n",
  shift_jis: "これはテストです。\n値=1\n",
  "euc-jp": "これはテストです。\n日本語\n",
  "euc-kr": "안녕하세요 세계\n함수를 호출한다\n",
  "windows-1251": "Привет, мир!\nФункция возвращает сумму.\n",
  "koi8-r": "Привет, мир!\nФункция возвращает сумму.\n",
  "koi8-u": "Привіт, світе! Їжак є.\n",
  ibm866: "Привет, мир!\nФункция возвращает сумму.\n",
  "iso-8859-5": "Привет, мир!\nФункция возвращает сумму.\n",
  "windows-1253": "Καλημέρα κόσμε\nσυνάρτηση\n",
  "windows-1250": "Zażółć gęślą jaźń\n",
  "iso-8859-2": "Příliš žluťoučký kůň\n",
  "windows-1252": "// Größe, Änderung, naïve café – “quote”, 5 €\n",
  "windows-1254": "Şişli güneş ışığı\n",
  "windows-1255": "שלום עולם\n",
  "windows-1256": "مرحبا بالعالم\n",
} as const;

test("other encodings are recognized, and give the same bytes", () => {
  for (const [name, text] of Object.entries(samples)) {
    const decoded = decodeText(encodeAs(name as keyof typeof samples, text));
    expect([name, decoded?.encoding, decoded?.text]).toEqual([name, decoded?.encoding, text]);
    if (decoded) expect(encodeText(decoded)).toEqual(encodeAs(name as keyof typeof samples, text));
  }
});

test.each([
  ["gbk", "// 返回结果"],
  ["gbk", "导出报表"],
  ["euc-jp", "東京都千代田区"],
  ["koi8-r", "Ошибка: файл не найден"],
  ["windows-1252", "price: 5 €"],
  ["windows-1252", "££££"],
  ["windows-1252", "© 2024 Müller & Söhne"],
] as const)("a few words in %s are read as %s", (encoding, text) => {
  expect(decodeText(encodeAs(encoding, text))?.text).toBe(text);
});

test("UTF-16 without a mark is text; bytes of a program are not", () => {
  const russian = Buffer.from("привет мир\n", "utf16le");
  expect(decodeText(russian)).toEqual({ text: "привет мир\n", encoding: "utf-16le", bom: false });
  const big = decodeText(Buffer.from(russian).swap16());
  expect(big).toEqual({ text: "привет мир\n", encoding: "utf-16be", bom: false });
  for (const bytes of ["needles\0needles\0", "a\0\0\0b\0\0\0", "\x7fELF\x02\x01\0\0"])
    expect(decodeText(Buffer.from(bytes, "latin1"))).toBeNull();
});

test("any bytes without a null byte survive", () => {
  fc.assert(
    fc.property(fc.uint8Array({ min: 1, maxLength: 60 }), (bytes) => {
      const decoded = decodeText(bytes);
      if (decoded) expect(encodeText(decoded)).toEqual(Buffer.from(bytes));
    }),
  );
});
