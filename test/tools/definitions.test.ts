import { afterAll, expect, test } from "bun:test";
import { leave, room } from "./room.ts";

afterAll(leave);

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
