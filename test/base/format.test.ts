import { expect, test } from "bun:test";
import { ago, counted, errorMessage } from "../../src/base/format.ts";

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
