import { expect, test } from "bun:test";
import { toCommand, type Job, JobQueue } from "../../../src/headless/print/print.ts";
import type { UserBlock } from "../../../src/protocol/block.ts";

const said = (text: string): UserBlock[] => [{ type: "text", text }];

test("/compact is a command with an optional focus; all else is a prompt", () => {
  const compact = { type: "compact", how: "summarize", trigger: "command" } as const;
  expect(toCommand(said("/compact"))).toEqual(compact);
  expect(toCommand(said("/compact  \n"))).toEqual(compact);
  expect(toCommand(said("/compact keep\nthe names "))).toEqual({
    ...compact,
    focus: "keep\nthe names ",
  });
  expect(toCommand(said("/compacted"))).toEqual({ type: "prompt", content: said("/compacted") });
  expect(toCommand(said("hi"), "u1")).toEqual({ type: "prompt", content: said("hi"), uuid: "u1" });
});

const rename = (title: string): Job => ({ command: { type: "rename", title } });
const names = async (queue: JobQueue): Promise<string[]> =>
  (await Array.fromAsync(queue)).map(({ command }) =>
    command.type === "rename" ? command.title : "",
  );

test("jobs are taken in their order until the queue is closed and empty", async () => {
  const queue = new JobQueue();
  const taken = names(queue);
  queue.push(rename("one"));
  await Promise.resolve();
  queue.push(rename("two"));
  queue.close();
  queue.push(rename("late"));
  expect(await taken).toEqual(["one", "two"]);
});

test("a queue that is closed at once may drop what waits", async () => {
  const queue = new JobQueue();
  queue.push(rename("one"));
  expect(queue.waiting).toHaveLength(1);
  queue.close({ drop: true });
  expect(await names(queue)).toEqual([]);
});
