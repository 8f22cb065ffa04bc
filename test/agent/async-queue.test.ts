import { expect, test } from "bun:test";
import { AsyncQueue } from "../../src/agent/async-queue.ts";

async function read<T>(queue: AsyncQueue<T>, take: (item: T) => void = () => {}): Promise<T[]> {
  const items: T[] = [];
  for await (const item of queue) {
    items.push(item);
    take(item);
  }
  return items;
}

test("items arrive in order, whether pushed before or while the reader waits", async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  const reading = read(queue, (item) => {
    if (item === 1) queue.push(2);
  });
  await Bun.sleep(0);
  queue.push(3);
  await Bun.sleep(0);
  queue.push(4);
  queue.close();
  queue.push(5);
  expect(await reading).toEqual([1, 2, 3, 4]);
});

test("closing wakes a waiting reader", async () => {
  const queue = new AsyncQueue<number>();
  const reading = read(queue);
  await Bun.sleep(0);
  queue.close();
  expect(await reading).toEqual([]);
});

test("an error is thrown after the queued items", async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  queue.close(new Error("gone"));
  const seen: number[] = [];
  await expect(read(queue, (item) => seen.push(item))).rejects.toThrow("gone");
  expect(seen).toEqual([1]);
});
