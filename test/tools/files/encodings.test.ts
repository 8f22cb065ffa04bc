/** Read names an encoding other than UTF-8; Edit and Write keep it. */

import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { encodeAs } from "../../../src/tools/files/encodings.ts";
import { leave, room } from "../room.ts";

afterAll(leave);

const source = "/* 计算两个数的和 */\nint add(int a, int b) { return a + b; } // 返回结果\n";

test("a GBK file is read, edited and replaced as GBK", async () => {
  const at = await room();
  const file = at.put("add.c", encodeAs("gbk", source));
  const read = await at.say("Read", { file_path: "add.c" });
  expect(read).toContain(
    "[This file is not UTF-8 (looks like GBK). Edit and Write keep its encoding.]",
  );
  expect(read).toContain("计算两个数的和");
  await at.say("Edit", { file_path: "add.c", old_string: "返回结果", new_string: "返回和" });
  const edited = source.replace("返回结果", "返回和");
  expect(readFileSync(file)).toEqual(encodeAs("gbk", edited));
  await at.say("Write", { file_path: "add.c", content: `${edited}// 完\n` });
  expect(readFileSync(file)).toEqual(encodeAs("gbk", `${edited}// 完\n`));
});

test("a character that the encoding lacks is refused in a sentence, and nothing changes", async () => {
  const at = await room();
  const bytes = encodeAs("windows-1251", "Привет, мир!\nФункция.\n");
  const file = at.put("a.txt", bytes);
  await at.say("Read", { file_path: "a.txt" });
  const said = await at.say("Write", { file_path: "a.txt", content: "Привет 🙂\n" });
  expect(said).toContain("the file is Windows-1251, which has no “🙂”");
  expect(readFileSync(file)).toEqual(bytes);
});

test("UTF-16 and its mark, and the mark of UTF-8, outlive Write", async () => {
  const at = await room();
  for (const bom of ["", "\uFEFF"]) {
    const file = at.put("wide.txt", Buffer.from(`${bom}hello\n`, "utf16le"));
    expect(await at.say("Read", { file_path: "wide.txt" })).toContain("UTF-16 LE");
    await at.say("Write", { file_path: "wide.txt", content: "bye\n" });
    expect(readFileSync(file)).toEqual(Buffer.from(`${bom}bye\n`, "utf16le"));
  }
  const marked = at.put("mark.txt", "\uFEFFhello\n");
  await at.say("Read", { file_path: "mark.txt" });
  await at.say("Write", { file_path: "mark.txt", content: "bye\n" });
  expect(readFileSync(marked, "utf8")).toBe("\uFEFFbye\n");
});
