import { afterAll, expect, test } from "bun:test";
import { z } from "zod";
import { textOf } from "../../src/protocol/block.ts";
import { ToolError, type Tool } from "../../src/tools/tool.ts";
import { leave, room } from "./room.ts";

afterAll(leave);

test("definitions are sorted, plain and the same bytes each time", async () => {
  const [a, b] = [await room(), await room()];
  const names = a.box.definitions.map((tool) => tool.name);
  expect(names).toEqual([
    "bash",
    "edit_file",
    "glob",
    "grep",
    "read_file",
    "task",
    "todo",
    "write_file",
  ]);
  expect(JSON.stringify(a.box.definitions)).toBe(JSON.stringify(b.box.definitions));
  expect(JSON.stringify(a.box.definitions)).not.toContain("$schema");
  expect(a.box.definitions.find((tool) => tool.name === "glob")?.input_schema).toEqual({
    type: "object",
    additionalProperties: false,
    required: ["pattern"],
    properties: {
      pattern: expect.objectContaining({ type: "string" }),
      path: expect.objectContaining({ type: "string" }),
    },
  });
});

test.each([
  ["read_file", {}, ["path", "expected string"]],
  ["read_file", { path: "a", offset: "3" }, ["offset", "expected number"]],
  ["read_file", { path: "a", lines: 3 }, ["lines"]],
  ["grep", { pattern: "x", output: "json" }, ["output", "lines", "files", "count"]],
  ["todo", { items: [{ text: "a", status: "started" }] }, ["items[0].status", "pending"]],
  [
    "todo",
    {
      items: [
        { text: "a", status: "in_progress" },
        { text: "b", status: "in_progress" },
      ],
    },
    ["at most one"],
  ],
  ["bash", { __invalid_json: '{"command": "ls' }, ["not valid JSON", '{"command": "ls']],
  ["no_such_tool", {}, ["no_such_tool", "read_file"]],
])("%s %j fails in words", async (name, input, words) => {
  const at = await room();
  const review = await at.review(name, input);
  for (const word of words) expect(review.verdict === "refuse" && review.reason).toContain(word);
  const outcome = await at.run(name, input);
  expect(outcome.isError).toBe(true);
  for (const word of words) expect(textOf(outcome.content)).toContain(word);
});

test("a tool of another room joins in; whatever it throws becomes a result", async () => {
  const schema = z.strictObject({ how: z.enum(["well", "badly", "unforeseen", "large"]) });
  const extra: Tool<z.infer<typeof schema>> = {
    name: "extra",
    description: "",
    schema,
    readOnly: true,
    intent: async () => ({ access: { kind: "none" }, title: "", detail: "", detailKind: "text" }),
    run: async ({ how }) => {
      if (how === "badly") throw new ToolError("What was wrong.");
      if (how === "unforeseen") throw new TypeError("x is undefined");
      return { content: [{ type: "text", text: how === "large" ? "y".repeat(40_000) : "done" }] };
    },
  };
  const at = await room({ extra: [extra] });
  expect(at.box.definitions.map((tool) => tool.name)).toContain("extra");
  expect(await at.say("extra", { how: "well" })).toBe("done");
  expect(await at.say("extra", { how: "badly" })).toBe("What was wrong.");
  expect(await at.say("extra", { how: "unforeseen" })).toBe("extra failed: x is undefined.");
  expect((await at.run("extra", { how: "large" })).file).toStartWith(at.results);
});

test("todo renders the list", async () => {
  const at = await room();
  const items = [
    { text: "read", status: "done" },
    { text: "write", status: "in_progress" },
    { text: "test", status: "pending" },
    { text: "sing", status: "cancelled" },
  ];
  expect(await at.say("todo", { items })).toBe(
    "1 of 4 done\n[x] read\n[>] write\n[ ] test\n[-] sing",
  );
});
