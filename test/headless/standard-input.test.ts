import { expect, test } from "bun:test";
import { readInput } from "../../src/headless/standard-input.ts";

/** Chunks that are available immediately; `open`: the pipe stays open after them. */
const pipe = (chunks: readonly Uint8Array[], open = false): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      if (!open) controller.close();
    },
  });

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("everything is read, characters across chunks included", async () => {
  const [first, second] = [bytes("gr\u00fcn").slice(0, 3), bytes("gr\u00fcn").slice(3)];
  expect(await readInput(false, pipe([first, second]))).toBe("gr\u00fcn");
  expect(await readInput(true, pipe([first, second]))).toBe("gr\u00fcn");
  expect(await readInput(true, pipe([]))).toBe("");
});

test("half a character at the end is replaced", async () => {
  expect(await readInput(false, pipe([bytes("\u00fc").slice(0, 1)]))).toBe("\ufffd");
});

test("optional input that never arrives is not awaited, and the pipe is released", async () => {
  const silent = pipe([], true);
  expect(await readInput(true, silent, 1)).toBeNull();
  expect(silent.locked).toBe(false);
});

test("once it has begun, input is read to its end", async () => {
  let end = (): void => undefined;
  const slow = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes("a"));
      end = () => {
        controller.enqueue(bytes("b"));
        controller.close();
      };
    },
  });
  const read = readInput(true, slow, 1);
  await Bun.sleep(5);
  end();
  expect(await read).toBe("ab");
});

test("input that is required is waited for", async () => {
  const never = pipe([], true);
  const read = readInput(false, never, 1);
  expect(await Promise.race([read, Bun.sleep(5).then(() => "waits")])).toBe("waits");
});

test("64 MB are read, and more is refused", async () => {
  const piece = new Uint8Array(1024 ** 2).fill(97);
  const all = Array.from({ length: 64 }, () => piece);
  expect(await readInput(false, pipe(all))).toHaveLength(64 * 1024 ** 2);
  await expect(readInput(false, pipe([...all, bytes("a")], true))).rejects.toThrow(
    "Standard input is longer than 64 MB.",
  );
});
