/** The main loop over HTTP, against a third party's implementation of the Messages API. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { blockText } from "../../src/protocol/block.ts";
import { workbench } from "./bench.ts";

const mock = new LLMock({ port: 0 });
beforeAll(async () => {
  mock.on(
    { userMessage: "change the notes", hasToolResult: false },
    {
      content: "Reading first.",
      toolCalls: [
        { id: "toolu_read", name: "Read", arguments: JSON.stringify({ file_path: "notes.txt" }) },
        { id: "toolu_glob", name: "Glob", arguments: JSON.stringify({ pattern: "*.txt" }) },
      ],
    },
  );
  mock.on(
    { toolCallId: "toolu_glob" },
    {
      toolCalls: [
        {
          id: "toolu_edit",
          name: "Edit",
          arguments: JSON.stringify({
            file_path: "notes.txt",
            old_string: "two",
            new_string: "zwei",
          }),
        },
      ],
    },
  );
  mock.on({ toolCallId: "toolu_edit" }, { content: "The notes are changed." });
  await mock.start();
});
afterAll(() => mock.stop());

test("reads, edits and answers through a whole turn", async () => {
  const bench = await workbench(mock.url);
  const events = await bench.ask("change the notes");
  expect(events.at(-1)).toEqual({ type: "idle", why: "done" });
  expect(await Bun.file(join(bench.folder, "notes.txt")).text()).toBe("one\nzwei\n");
  const types = bench.log.path.map(({ type }) => type);
  expect(types).toEqual([
    "session",
    "user",
    "assistant",
    "result",
    "result",
    "assistant",
    "checkpoint",
    "result",
    "assistant",
  ]);
  const last = bench.log.path.at(-1);
  expect(last?.type === "assistant" && blockText(last.content)).toBe("The notes are changed.");
  // What was streamed is what was logged.
  const streamed = events.flatMap((event) =>
    event.type === "delta" && event.kind === "text" ? [event.text] : [],
  );
  expect(streamed.join("")).toBe("Reading first.The notes are changed.");
  await bench.close();
});

test("a busy server is retried, and the user sees it", async () => {
  const bench = await workbench(mock.url);
  mock.nextRequestError(429, { message: "slow down", type: "rate_limit_error" });
  const events = await bench.ask("change the notes");
  expect(events.filter(({ type }) => type === "retry")).toHaveLength(1);
  expect(bench.waits).toEqual([1000]);
  expect(events.at(-1)).toEqual({ type: "idle", why: "done" });
  await bench.close();
});
