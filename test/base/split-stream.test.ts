import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { splitStream } from "../../src/base/split-stream.ts";

async function split(chunks: readonly Uint8Array[], ...more: [string?, object?]) {
  const stream = (async function* () {
    yield* chunks;
  })();
  return Array.fromAsync(splitStream(stream, ...more));
}

test("the lines of a stream, wherever its chunks end, without the unfinished one", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("a", "é", "🙂", "\n", "bc")),
      fc.integer({ min: 1, max: 5 }),
      async (pieces, size) => {
        const bytes = Buffer.from(pieces.join(""));
        const chunks = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        expect(await split(chunks)).toEqual(pieces.join("").split("\n").slice(0, -1));
      },
    ),
  ));

test("it ends where a text gets longer than allowed", async () => {
  const chunks = ["ab\0abc", "d\0abc", "de", "\0x\0"].map((text) => Buffer.from(text));
  let told = 0;
  const tooLong = (): void => void told++;
  expect(await split(chunks, "\0", { maxChars: 5, tooLong })).toEqual(["ab", "abcd", "abcde", "x"]);
  expect(told).toBe(0);
  expect(await split(chunks, "\0", { maxChars: 4, tooLong })).toEqual(["ab", "abcd"]);
  expect(told).toBe(1);
  const short = ["ab\0a", "b\0ab", "\0abc\0"].map((text) => Buffer.from(text));
  expect(await split(short, "\0", { maxChars: 2, tooLong })).toEqual(["ab", "ab", "ab", "abc"]);
});
