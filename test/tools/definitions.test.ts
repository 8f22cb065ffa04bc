import { afterAll, expect, test } from "bun:test";
import { builtInSubagents } from "../../src/agent/subagents.ts";
import { promptFrom } from "../../src/agent/opening.ts";
import { addAttendedTools, addSubagents } from "../../src/tools/toolbox.ts";
import { emptySession, leave, room } from "./room.ts";

afterAll(leave);

const nobody = (): Promise<never> => Promise.reject(new Error("It is not started here."));

/** The tools of a session, all that there are, or only some. */
async function allTools(only?: readonly string[]) {
  const { box } = await room({ session: { ...emptySession, search: nobody }, only });
  addSubagents(box, builtInSubagents, nobody);
  addAttendedTools(box, null);
  return box;
}

test("definitions and system prompt stay under 4,500 tokens", async () => {
  const box = await allTools();
  const prompt = promptFrom({}, box.names);
  // Three characters per token: more tokens than any tokenizer counts.
  expect((JSON.stringify(box.definitions).length + prompt.length) / 3).toBeLessThan(4_500);
});

test("no text for the model names a tool that the run does not have, or says how to use it with it", async () => {
  const { names } = await allTools();
  expect(names).toHaveLength(18);
  const habits: Record<string, RegExp> = {
    Bash: /background command|test, type checker/,
    Edit: /old_string/,
    TodoWrite: /todo list/,
    AskUserQuestion: /ask\./,
  };
  for (const removed of names) {
    const box = await allTools(names.filter((name) => name !== removed));
    const texts = [promptFrom({}, box.names), JSON.stringify(box.definitions)].join("\n");
    expect(texts).not.toMatch(new RegExp(`\\b${removed}\\b`));
    expect(texts).not.toMatch(habits[removed] ?? /<!--/);
  }
  const readers = await allTools(["Read", "Grep", "Glob"]);
  const said = JSON.stringify(readers.definitions) + promptFrom({}, readers.names);
  expect(said).not.toMatch(/before you change it|check your edit|what you ran|<!--/);
  expect(readers.names).toEqual(["Glob", "Grep", "Read"]);
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
