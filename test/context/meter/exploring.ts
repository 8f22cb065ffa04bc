/** A session of four calls. */

import { begin, Builder } from "../build.ts";
import { stamp } from "../summary/say.ts";

/** Reads of two files and a command. */
export function exploring(): Builder {
  const built = begin("Look around.");
  built.step("c1", "a ".repeat(4_000), { stamps: [stamp("/w/a.ts", "read")] });
  built.step("c2", "b ".repeat(1_000), {
    stamps: [stamp("/w/a.ts", "read"), stamp("/w/b.ts", "read")],
  });
  built.step("c3", "c ".repeat(500), { tool: "Bash", input: { command: "ls" } });
  built.answer([{ type: "text", text: "Two files." }]);
  return built;
}
