/** Read names an encoding other than UTF-8; Edit and Write keep it. */

import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "../../properties.ts";
import { leave, room } from "../room.ts";

afterAll(leave);

const tables = new Map<string, Map<string, number[]>>();

/** The bytes of each character, found by decoding every byte and every pair of bytes. */
function tableOf(label: string): Map<string, number[]> {
  const decoder: TextDecoder = Reflect.construct(TextDecoder, [label]);
  const known = tables.get(label) ?? new Map<string, number[]>();
  tables.set(label, known);
  const learn = (...bytes: number[]): void => {
    const character = decoder.decode(Uint8Array.from(bytes));
    if ([...character].length === 1 && character !== "\ufffd" && !known.has(character))
      known.set(character, bytes);
  };
  if (known.size > 0) return known;
  for (let first = 0; first < 256; first++) learn(first);
  for (let first = 0x80; first < 256; first++)
    for (let second = 0x30; second < 256; second++) learn(first, second);
  return known;
}

const encodeWith = (label: string, text: string) =>
  Buffer.from(
    [...text].flatMap((character) => tableOf(label).get(character) ?? [...Buffer.from(character)]),
  );

const source = "/* 计算两个数的和 */\nint add(int a, int b) { return a + b; } // 返回结果\n";

test("a GBK file is read, edited and replaced as GBK", async () => {
  const at = await room();
  const file = at.put("add.c", encodeWith("gbk", source));
  const read = await at.say("Read", { file_path: "add.c" });
  expect(read).toContain(
    "[This file is not UTF-8 (looks like GBK). Edit and Write keep its encoding.]",
  );
  expect(read).toContain("计算两个数的和");
  await at.say("Edit", { file_path: "add.c", old_string: "返回结果", new_string: "返回和" });
  const edited = source.replace("返回结果", "返回和");
  expect(readFileSync(file)).toEqual(encodeWith("gbk", edited));
  await at.say("Write", { file_path: "add.c", content: `${edited}// 完\n` });
  expect(readFileSync(file)).toEqual(encodeWith("gbk", `${edited}// 完\n`));
});

test("a character that the encoding lacks is refused in a sentence, and nothing changes", async () => {
  const at = await room();
  const bytes = encodeWith("windows-1251", "Привет, мир!\nФункция.\n");
  const file = at.put("a.txt", bytes);
  await at.say("Read", { file_path: "a.txt" });
  const said = await at.say("Write", { file_path: "a.txt", content: "Привет 🙂\n" });
  expect(said).toContain("the file is Windows-1251, which has no “🙂”");
  expect(readFileSync(file)).toEqual(bytes);
});

test("UTF-16 and its mark, and the mark of UTF-8, outlive Write", async () => {
  const at = await room();
  for (const [bom, note, isSwapped] of [
    ["", "(looks like UTF-16 LE)", false],
    ["\uFEFF", "(it is UTF-16 LE)", false],
    ["\uFEFF", "(it is UTF-16 BE)", true],
  ] as const) {
    const encoded = (text: string) =>
      isSwapped ? Buffer.from(bom + text, "utf16le").swap16() : Buffer.from(bom + text, "utf16le");
    const file = at.put("wide.txt", encoded("hello\n"));
    expect(await at.say("Read", { file_path: "wide.txt" })).toContain(note);
    await at.say("Write", { file_path: "wide.txt", content: "bye\n" });
    expect(readFileSync(file)).toEqual(encoded("bye\n"));
  }
  const marked = at.put("mark.txt", "\uFEFFhello\n");
  await at.say("Read", { file_path: "mark.txt" });
  await at.say("Write", { file_path: "mark.txt", content: "bye\n" });
  expect(readFileSync(marked, "utf8")).toBe("\uFEFFbye\n");
  await at.say("Write", { file_path: "mark.txt", content: "\uFEFFagain\n" });
  expect(readFileSync(marked, "utf8")).toBe("\uFEFFagain\n");
});

const samples = {
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
};

test.each(Object.entries(samples))("%s is recognized, and Write keeps it", async (label, text) => {
  const at = await room();
  const file = at.put("a.txt", encodeWith(label, text));
  const [line = ""] = text.split("\n");
  expect(await at.say("Read", { file_path: "a.txt" })).toContain(line);
  await at.say("Write", { file_path: "a.txt", content: `${text}x\n` });
  expect(readFileSync(file)).toEqual(encodeWith(label, `${text}x\n`));
});

test("what GBK lacks makes a file GB18030, and stays as it is", async () => {
  const at = await room();
  const bytes = Buffer.concat([
    encodeWith("gbk", "// 返回结果 "),
    // Ă and 😀, in four bytes each.
    Buffer.from([0x81, 0x30, 0x8b, 0x39, 0x94, 0x39, 0xfc, 0x36]),
  ]);
  const file = at.put("a.txt", bytes);
  const read = await at.say("Read", { file_path: "a.txt" });
  expect(read).toMatch(/looks like GB18030[^]*\/\/ 返回结果 Ă😀$/);
  await at.say("Write", { file_path: "a.txt", content: "// 返回结果 Ă😀x" });
  expect(readFileSync(file)).toEqual(Buffer.concat([bytes, Buffer.from("x")]));
});

test.each([
  ["gbk", "// 返回结果"],
  ["gbk", "导出报表"],
  ["euc-jp", "東京都千代田区"],
  ["koi8-r", "Ошибка: файл не найден"],
  ["windows-1252", "price: 5 €"],
  ["windows-1252", "££££"],
  ["windows-1252", "© 2024 Müller & Söhne"],
  ["windows-1250", "Łukasz"],
  ["windows-1251", "Подъезд №5"],
  ["windows-874", "ภาษาไทย"],
])("a few words in %s are read as %s", async (label, text) => {
  const at = await room();
  at.put("a.txt", encodeWith(label, text));
  expect(await at.say("Read", { file_path: "a.txt" })).toEndWith(`     1\t${text}`);
});

test("UTF-16 without a mark is text, in both orders; bytes of a program are not", async () => {
  const at = await room();
  // The low byte of Ā is null.
  for (const text of ["привет мир Ā", "hello 汉"]) {
    const little = Buffer.from(text, "utf16le");
    for (const bytes of [little, Buffer.from(little).swap16()]) {
      at.put("a.txt", bytes);
      expect(await at.say("Read", { file_path: "a.txt" })).toEndWith(text);
    }
  }
  for (const bytes of ["needles\0needles\0", "a\0\0\0b\0\0\0", "\x7fELF\x02\x01\0\0"]) {
    at.put("program", Buffer.from(bytes, "latin1"));
    expect(await at.say("Read", { file_path: "program" })).toContain("binary");
  }
});

test("any bytes without a null byte survive a change elsewhere", async () => {
  const at = await room();
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ min: 1, minLength: 1, maxLength: 60 }), async (bytes) => {
      const file = at.put("a.txt", Buffer.concat([bytes, Buffer.from("\nQQQQ\n")]));
      const change = { file_path: "a.txt", old_string: "QQQQ", new_string: "ZZZZ" };
      const { isError } = await at.run("Edit", change);
      const next = isError ? "QQQQ" : "ZZZZ";
      expect(readFileSync(file)).toEqual(Buffer.concat([bytes, Buffer.from(`\n${next}\n`)]));
    }),
    { numRuns: 40 },
  );
});
