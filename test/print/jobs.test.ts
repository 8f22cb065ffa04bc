import { expect, test } from "bun:test";
import { JobQueue, jobOf } from "../../src/print/jobs.ts";
import type { UserBlock } from "../../src/protocol/block.ts";

const said = (text: string): UserBlock[] => [{ type: "text", text }];

test("/compact is a command with an optional focus; all else is a prompt", () => {
  expect(jobOf(said("/compact"))).toEqual({ kind: "compact" });
  expect(jobOf(said("/compact  \n"))).toEqual({ kind: "compact" });
  expect(jobOf(said("/compact keep\nthe names "))).toEqual({
    kind: "compact",
    focus: "keep\nthe names ",
  });
  expect(jobOf(said("/compacted"))).toEqual({ kind: "prompt", content: said("/compacted") });
  expect(jobOf(said("hi"), "u1")).toEqual({ kind: "prompt", content: said("hi"), uuid: "u1" });
});

const names = async (queue: JobQueue): Promise<string[]> =>
  (await Array.fromAsync(queue)).map((job) => (job.kind === "compact" ? (job.focus ?? "") : ""));

test("jobs are taken in their order until the queue is closed and empty", async () => {
  const queue = new JobQueue();
  const taken = names(queue);
  queue.push({ kind: "compact", focus: "one" });
  await Promise.resolve();
  queue.push({ kind: "compact", focus: "two" });
  queue.close();
  queue.push({ kind: "compact", focus: "late" });
  expect(await taken).toEqual(["one", "two"]);
});

test("a queue that is closed at once may drop what waits", async () => {
  const queue = new JobQueue();
  queue.push({ kind: "compact", focus: "one" });
  expect(queue.waiting).toHaveLength(1);
  queue.close({ drop: true });
  expect(await names(queue)).toEqual([]);
});
