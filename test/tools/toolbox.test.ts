import { afterAll, expect, test } from "bun:test";
import { z } from "zod";
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
