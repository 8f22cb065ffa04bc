import { expect, test } from "bun:test";
import {
  ago,
  counted,
  countedTurns,
  errorMessage,
  listed,
  unwrapMarkdown,
} from "../../src/base/format.ts";

test.each([
  [0, "old result", "0 old results"],
  [1, "old result", "1 old result"],
  [2_100, "old result", "2,100 old results"],
  [2, "entry", "2 entries"],
  [2, "key", "2 keys"],
  [2, "match", "2 matches"],
  [2, "box", "2 boxes"],
])("%d %s: %s", (count, noun, words) => {
  expect(counted(count, noun)).toBe(words);
});

const minute = 60_000;

test.each([
  [-minute, "just now"],
  [Number.NaN, "just now"],
  [29_000, "just now"],
  [30_000, "1 minute ago"],
  [59 * minute, "59 minutes ago"],
  [60 * minute, "1 hour ago"],
  [47 * 60 * minute, "47 hours ago"],
  [48 * 60 * minute, "2 days ago"],
  [999.5 * 1_440 * minute, "1,000 days ago"],
])("%d milliseconds: %s", (ms, words) => {
  expect(ago(ms)).toBe(words);
});

test("the message of a broken connection has no advice on calling fetch", async () => {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.end() },
  });
  const error: unknown = await fetch(`http://127.0.0.1:${server.port}`).catch((thrown) => thrown);
  server.stop(true);
  expect(errorMessage(error)).toBe("ECONNRESET: The socket connection was closed unexpectedly.");
});

test("what a summary covers, and lists of words", () => {
  expect([0, 1, 7].map(countedTurns)).toEqual(["part of a turn", "1 turn", "7 turns"]);
  const words = ["a", "b", "c"];
  expect([0, 1, 2, 3].map((count) => listed(words.slice(0, count)))).toEqual([
    "",
    "a",
    "a and b",
    "a, b and c",
  ]);
});

test("paragraphs and items are on one line each; code and tables stay", () => {
  const text = "# T\n\none\ntwo\n\n- a\n  b\n- c\n\n| x |\n| y |\n\n```\nd\ne\n```\nf\ng\n";
  const unwrapped = "# T\n\none two\n\n- a b\n- c\n\n| x |\n| y |\n\n```\nd\ne\n```\nf g\n";
  expect(unwrapMarkdown(text)).toBe(unwrapped);
});
