import { expect, test } from "bun:test";
import { merge } from "../../src/agent/async-queue.ts";

async function* count(name: string, to: number): AsyncGenerator<string, string> {
  for (let i = 1; i <= to; i++) {
    await Promise.resolve();
    yield `${name}${i}`;
  }
  return name;
}

async function collect<T, R>(stream: AsyncGenerator<T, R>): Promise<{ items: T[]; end: R }> {
  const items: T[] = [];
  for (;;) {
    const step = await stream.next();
    if (step.done) return { items, end: step.value };
    items.push(step.value);
  }
}

test("streams run concurrently and keep their own order", async () => {
  const { items, end } = await collect(merge([count("a", 3), count("b", 2)]));
  expect(items.filter((item) => item.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
  expect(items.indexOf("b1")).toBeLessThan(items.indexOf("a3"));
  expect(end).toEqual(["a", "b"]);
});

test("an error is thrown only after every stream has ended", async () => {
  let ended = false;
  async function* fails(): AsyncGenerator<string, string> {
    yield "x";
    throw new Error("broken");
  }
  async function* slow(): AsyncGenerator<string, string> {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    yield "y";
    ended = true;
    return "slow";
  }
  const seen: string[] = [];
  const run = async (): Promise<void> => {
    for await (const item of merge([fails(), slow()])) seen.push(item);
  };
  await expect(run()).rejects.toThrow("broken");
  await run().catch(() => {});
  expect(ended).toBe(true);
  expect(seen).toContain("y");
});

test("merging nothing ends at once", async () => {
  expect(await collect(merge([]))).toEqual({ items: [], end: [] });
});
