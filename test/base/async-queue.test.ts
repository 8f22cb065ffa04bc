import { expect, test } from "bun:test";
import { AsyncQueue, merge } from "../../src/base/async-queue.ts";

test("items arrive in order, whether pushed before or while the reader waits, and end with the queue", async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  const seen: number[] = [];
  const reading = (async () => {
    for await (const item of queue) if (seen.push(item) === 1) queue.push(2);
  })();
  await Bun.sleep(0);
  queue.push(3);
  await Bun.sleep(0);
  expect(seen).toEqual([1, 2, 3]);
  queue.close();
  queue.push(4);
  await reading;
  expect(seen).toEqual([1, 2, 3]);
});

test("an error is thrown after the queued items", async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  queue.close(new Error("gone"));
  const reader = queue[Symbol.asyncIterator]();
  expect(await reader.next()).toMatchObject({ value: 1 });
  await expect(reader.next()).rejects.toThrow("gone");
});

async function* count(name: string, to: number): AsyncGenerator<string, string> {
  for (let i = 1; i <= to; i++) {
    await Promise.resolve();
    yield `${name}${i}`;
  }
  return name;
}

test("streams run concurrently, keep their own order, and return their results", async () => {
  const seen: string[] = [];
  const merged = merge([count("a", 3), count("b", 2)]);
  let step = await merged.next();
  for (; !step.done; step = await merged.next()) seen.push(step.value);
  expect(seen.filter((item) => item.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
  expect(seen.indexOf("b1")).toBeLessThan(seen.indexOf("a3"));
  expect(step.value).toEqual(["a", "b"]);
  expect(await merge([]).next()).toEqual({ done: true, value: [] });
});

test("an error is thrown only after every stream has ended", async () => {
  let ended = false;
  async function* fails(): AsyncGenerator<string, string> {
    yield "x";
    throw new Error("broken");
  }
  async function* slow(): AsyncGenerator<string, string> {
    yield* count("y", 20);
    ended = true;
    return "slow";
  }
  await expect(Array.fromAsync(merge([fails(), slow()]))).rejects.toThrow("broken");
  expect(ended).toBe(true);
});
