/** Tests, linters and the like run without a question, where they can write nothing. */

import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { leave, room } from "../tools/room.ts";
import { sandboxHere } from "./sandbox-here.ts";

afterAll(leave);

describe.skipIf(!sandboxHere)("in a sandbox", () => {
  test("writes nothing in the workspace, sees no secrets, and says so", async () => {
    const at = await room();
    at.put(".env", "KEY=hush\n");
    at.put("a.txt", "a\n");
    at.put("package.json", '{"scripts": {"test": "cat .en*; cat a.txt; touch new"}}');
    expect((await at.review("Bash", { command: "npm test" })).verdict).toBe("allow");
    const said = await at.bash("npm test");
    expect(said).toContain("a\n");
    expect(said).not.toContain("hush");
    expect(said).toContain('writable: ["."]');
    expect(existsSync(join(at.root, "new"))).toBe(false);
  });

  test("what asks for the workspace, or for the background, is asked about", async () => {
    const at = await room();
    expect((await at.review("Bash", { command: "npm test", writable: ["."] })).verdict).toBe("ask");
    expect(
      (await at.review("Bash", { command: "npm test", run_in_background: true })).verdict,
    ).toBe("ask");
  });
});
