import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ToolInput } from "../../src/protocol/block.ts";
import { ToolError, type Tool } from "../../src/tools/tool.ts";
import { emptySession, leave, room, temporaryFolder } from "./room.ts";

afterAll(leave);

test("definitions are sorted, plain and the same bytes each time", async () => {
  const [a, b] = [await room(), await room()];
  expect(a.box.definitions.map(({ name }) => name).join(" ")).toBe(
    "Bash BashInput BashOutput Edit Glob Grep KillShell Read TodoWrite WebFetch Write",
  );
  expect(JSON.stringify(a.box.definitions)).toBe(JSON.stringify(b.box.definitions));
  expect(JSON.stringify(a.box.definitions)).not.toContain("$schema");
  const keys = a.box.definitions.map(({ input_schema }) => Object.keys(input_schema));
  expect(keys).toEqual(keys.map((names) => names.toSorted()));
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
  const large = await at.run("extra", { how: "large" });
  expect(large.file).toStartWith(at.results);
  await at.box.discard(large);
  expect(existsSync(large.file ?? "")).toBe(false);
});

test("a skill is loaded by its name, and its folder can be read from then on", async () => {
  const folder = temporaryFolder();
  const loadSkill = async (name: string, args: string) =>
    name === "draw" ? { text: `Draw ${args}.`, folder } : null;
  const at = await room({ session: { ...emptySession, loadSkill }, sandbox: "off" });
  const read = async () => await at.verdict("Read", { file_path: join(folder, "x") });
  expect(await read()).toBe("ask");
  expect(await at.say("Skill", { skill: "paint" })).toStartWith("There is no skill paint;");
  const said = await at.say("Skill", { skill: "/draw", args: "a cat" });
  expect(said).toBe(`Folder of this skill: ${folder}\n\nDraw a cat.`);
  expect(await read()).toBe("allow");
});

test("an answer has the required form exactly", async () => {
  const answerSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const at = await room({ session: { ...emptySession, answerSchema } });
  expect(await at.say("StructuredOutput", { n: "1" })).toContain("n: Invalid input");
  const only = await room({ only: ["Read"], session: { ...emptySession, answerSchema } });
  expect(only.box.names).toEqual(["Read", "StructuredOutput"]);
  expect(await at.say("StructuredOutput", { n: 1 })).toBe("The answer has been returned.");
  const broken = room({ session: { ...emptySession, answerSchema: { type: "what" } } });
  await expect(broken).rejects.toThrow("The JSON schema of the answer cannot be used: ");
});

test("hooks get the whole input under our names; watchers of files, each change", async () => {
  const at = await room();
  const full = (name: string, input: ToolInput) =>
    at.box.fullInput({ type: "tool_use", id: "t", name, input });
  expect(full("Read", { path: "a", offset: "2" })).toEqual({
    file_path: join(at.root, "a"),
    offset: 2,
  });
  expect(full("Bash", { cmd: "ls" })).toEqual({ command: "ls" });
  expect(full("none", { path: "a" })).toEqual({ path: "a" });
  const changes: unknown[] = [];
  at.box.watchFiles((change) => changes.push(change));
  await at.run("Write", { file_path: "a", content: "x" });
  expect(changes).toEqual([{ path: join(at.root, "a"), before: null, after: "x" }]);
});

test("what hooks run is asked about once it is known; if it cannot be known, no call runs", async () => {
  const at = await room({ mode: "accept-edits" });
  at.box.protect(Promise.resolve([join(at.root, "Hook.sh")]));
  const write = { file_path: "hook.sh", content: "x" };
  expect(await at.verdict("Write", write)).toBe("ask");
  at.box.protect(Promise.reject(new Error("gone")));
  expect(await at.review("Write", { ...write, file_path: "x" })).toMatchObject({
    reason: "It is not known which scripts hooks and servers run, so no call may: gone",
  });
});
