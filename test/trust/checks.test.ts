/** Tests, linters and the like run without a question, where they can write nothing. */

import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { blockText } from "../../src/protocol/block.ts";
import { leave, quietRun, room, type Room } from "../tools/room.ts";
import { sandboxHere } from "./sandbox-here.ts";

afterAll(leave);

async function run(at: Room, command: string): Promise<string> {
  const call = { type: "tool_use", id: command, name: "Bash", input: { command } } as const;
  expect([command, (await at.box.review(call)).verdict]).toEqual([command, "allow"]);
  return blockText((await at.box.run(call, quietRun())).content);
}

describe.skipIf(!sandboxHere)("in a sandbox", () => {
  test("writes nothing in the workspace, sees no secrets, and says so", async () => {
    const at = await room();
    at.put(".env", "KEY=hush\n");
    at.put("a.txt", "a\n");
    at.put("package.json", '{"scripts": {"test": "cat .en*; cat a.txt; touch new"}}');
    const said = await run(at, "npm test");
    expect(said).toContain("a\n");
    expect(said).not.toContain("hush");
    expect(said).toContain('writable: ["."]');
    expect(existsSync(join(at.root, "new"))).toBe(false);
  });

  test("what asks for the workspace is asked about, and then may write", async () => {
    const at = await room();
    const input = { command: "node -e 1; touch made", writable: ["."] };
    const call = { type: "tool_use", id: "w", name: "Bash", input } as const;
    expect((await at.box.review(call)).verdict).toBe("ask");
    await at.box.run(call, quietRun());
    expect(existsSync(join(at.root, "made"))).toBe(true);
    expect((await at.review("Bash", { command: "npm test", writable: ["."] })).verdict).toBe("ask");
    expect(
      (await at.review("Bash", { command: "npm test", run_in_background: true })).verdict,
    ).toBe("ask");
  });
});
