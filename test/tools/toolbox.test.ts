import { afterAll, expect, test } from "bun:test";
import { z } from "zod";
import { blockText } from "../../src/protocol/block.ts";
import { ToolError, type Tool } from "../../src/tools/tool.ts";
import { leave, room } from "./room.ts";

afterAll(leave);

test("definitions are sorted, plain and the same bytes each time", async () => {
  const [a, b] = [await room(), await room()];
  const names = a.box.definitions.map((tool) => tool.name);
  expect(names).toEqual([
    "Bash",
    "BashInput",
    "BashOutput",
    "Edit",
    "Glob",
    "Grep",
    "KillShell",
    "Read",
    "TodoWrite",
    "WebFetch",
    "Write",
  ]);
  expect(JSON.stringify(a.box.definitions)).toBe(JSON.stringify(b.box.definitions));
  expect(JSON.stringify(a.box.definitions)).not.toContain("$schema");
  // Those that models know from other agents.
  const required = a.box.definitions.map(({ name, input_schema }) => [
    name,
    input_schema["required"],
  ]);
  expect(Object.fromEntries(required)).toMatchObject({
    Bash: ["command"],
    Edit: ["file_path"],
    Glob: ["pattern"],
    Grep: ["pattern"],
    Read: ["file_path"],
    TodoWrite: ["todos"],
    Write: ["file_path", "content"],
  });
  expect(a.box.definitions.find((tool) => tool.name === "Glob")?.input_schema).toEqual({
    type: "object",
    required: ["pattern"],
    properties: {
      pattern: expect.objectContaining({ type: "string" }),
      path: expect.objectContaining({ type: "string" }),
    },
  });
});

test.each([
  ["Read", { file_path: "a", offset: "three" }, ["offset", "expected number"]],
  ["Grep", { pattern: "x", output_mode: "json" }, ["output_mode", "content", "count"]],
  ["TodoWrite", { todos: [{ content: "a", status: "started" }] }, ["todos[0].status", "pending"]],
  [
    "TodoWrite",
    {
      todos: [
        { content: "a", status: "in_progress" },
        { content: "b", status: "in_progress" },
      ],
    },
    ["at most one"],
  ],
  ["Bash", { __invalid_json: '{"command": "ls' }, ["not valid JSON", '{"command": "ls']],
  ["no_such_tool", {}, ["no_such_tool", "Read"]],
])("%s %j fails with a sentence", async (name, input, words) => {
  const at = await room();
  const review = await at.review(name, input);
  for (const word of words) expect(review.verdict === "refuse" && review.reason).toContain(word);
  const outcome = await at.run(name, input);
  expect(outcome.isError).toBe(true);
  for (const word of words) expect(blockText(outcome.content)).toContain(word);
});

test("a tool of another module can be added; whatever it throws becomes a result", async () => {
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

test("TodoWrite renders the list", async () => {
  const at = await room();
  const todos = [
    { content: "read", status: "completed", activeForm: "Reading" },
    { content: "write", status: "in_progress", activeForm: "Writing" },
    { content: "test", status: "pending" },
  ];
  expect(await at.say("TodoWrite", { todos })).toBe(
    "1 of 3 completed\n[x] read\n[>] write\n[ ] test",
  );
});

test.each([
  ["Read", { file_path: "a.txt", offset: "2", limit: null }, "     2\ttwo\n[End of the file.]"],
  ["Grep", { pattern: "TWO", "-i": "true", output_mode: "content" }, "a.txt:2:two"],
  ["TodoWrite", { todos: '[{"content":"a","status":"pending"}]' }, "0 of 1 completed\n[ ] a"],
])("%s understands %j", async (name, input, text) => {
  const at = await room();
  at.put("a.txt", "one\ntwo\n");
  expect(await at.say(name, input)).toBe(text);
});
