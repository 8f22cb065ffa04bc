import { afterAll, expect, test } from "bun:test";
import { builtInSubagents } from "../../src/agent/subagents/subagents.ts";
import { agentTool } from "../../src/tools/subagent/agent-tool.ts";
import { compactTool } from "../../src/tools/compact.ts";
import { recallTool } from "../../src/tools/recall/recall.ts";
import { leave, room } from "./room.ts";

afterAll(leave);

const memory = {
  search: async () => [],
  searchProject: async () => [],
  open: async () => null,
  callOf: () => null,
};

const recall = recallTool({ memory, now: () => 0, show: String, asking: () => null });

const systemPrompt = await Bun.file(
  new URL("../../src/agent/prompts/system.md", import.meta.url),
).text();

test("definitions and system prompt stay under 3,000 tokens", async () => {
  const start = (): Promise<never> => Promise.reject(new Error("It is not started here."));
  const agent = agentTool(builtInSubagents, start);
  const { box } = await room({ extra: [compactTool, recall, agent] });
  const chars = JSON.stringify(box.definitions).length + systemPrompt.length;
  // Three characters per token: more tokens than any tokenizer counts.
  expect(chars / 3).toBeLessThan(3_000);
});

test("the system prompt names only tools that exist", async () => {
  const { box } = await room({ extra: [compactTool, recall] });
  const names = new Set(box.definitions.map(({ name }) => name));
  const named = systemPrompt.match(/\b(?:[A-Z][a-z]+){2,}\b|\b(?:Read|Grep|Glob|Recall)\b/g) ?? [];
  expect(named.filter((name) => !names.has(name))).toEqual([]);
});

test.each(["Bash", "Edit", "Glob", "Grep", "Read", "TodoWrite", "Write"])(
  "the required inputs of %s are those that models know",
  async (name) => {
    const { box } = await room();
    const schema = box.definitions.find((tool) => tool.name === name)?.input_schema;
    expect(schema?.["required"]).toEqual(
      {
        Bash: ["command"],
        Edit: ["file_path"],
        Glob: ["pattern"],
        Grep: ["pattern"],
        Read: ["file_path"],
        TodoWrite: ["todos"],
        Write: ["file_path", "content"],
      }[name] ?? [],
    );
  },
);
