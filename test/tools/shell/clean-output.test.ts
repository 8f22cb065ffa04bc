import { afterAll, expect, test } from "bun:test";
import { leave, room } from "../room.ts";

afterAll(leave);
const at = await room({ sandbox: "off" });

test.each([
  ["plain\n", "plain\n"],
  ["\x1b[1;31mred\x1b[0m", "red"],
  ["\x1b[2J\x1b[H\x1b[?1049hscreen", "screen"],
  ["\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"],
  ["\x1b]0;title\x07text", "text"],
  ["\x1b]52;c;aGk=\nstill here", "\nstill here"],
  ["\x1bPq data\x1b\\after", "after"],
  ["\x1b(Bascii", "ascii"],
  ["\x9b31mred", "red"],
  ["cut off \x1b[", "cut off "],
  ["cut off \x1b", "cut off "],
  ["10%\r50%\r100%", "100%"],
  ["10%\r", "10%"],
  ["a\r\nb\r\n", "a\nb\n"],
  ["bo\bold", "bold"],
  ["a\0b\x01c\x7f", "a^@b^Ac^?"],
  ["tab\tand 汉字 😀", "tab\tand 汉字 😀"],
])("%j reads %j", async (raw, seen) => {
  at.put("raw", Buffer.from(raw));
  expect(await at.say("Bash", { command: "cat raw" })).toBe(seen.trim());
});
