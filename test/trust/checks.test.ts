/** Tests, linters and the like run without a question, where they can write nothing. */

import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { blockText } from "../../src/protocol/block.ts";
import { leave, quietRun, room, type Room } from "../tools/room.ts";
import { sandboxHere } from "./sandbox-here.ts";

afterAll(leave);

const verdict = async (at: Room, command: string) => (await at.review("Bash", { command })).verdict;

async function run(at: Room, command: string): Promise<string> {
  const call = { type: "tool_use", id: command, name: "Bash", input: { command } } as const;
  expect([command, (await at.box.review(call)).verdict]).toEqual([command, "allow"]);
  return blockText((await at.box.run(call, quietRun())).content);
}

const checks = ["npm test", "prettier --check .", "mise run lint"];

describe.skipIf(!sandboxHere)("in a sandbox", () => {
  test.each(checks)("%s runs without a question", async (command) => {
    const at = await room();
    at.put("sub/x", "");
    expect(await verdict(at, command)).toBe("allow");
    at.box.mode = "plan";
    expect(await verdict(at, command)).toBe("allow");
  });

  test.each([
    "git diff --stat $(git merge-base main HEAD)..HEAD -- src",
    "git log --oneline $(git rev-parse --short HEAD) --not origin/main",
    "git log --oneline --ancestry-path a..b",
    "rustc +nightly --version",
    "golangci-lint version --format=json 2>/dev/null | head -50",
    "golangci-lint run --help | grep -i nolint",
    "grep -rn 'a&b' src || echo \"x & y\"",
  ])("%s only looks", async (command) => {
    const at = await room();
    Bun.spawnSync(["git", "init", "-q"], { cwd: at.root });
    expect(await verdict(at, command)).toBe("allow");
  });

  test.each([
    "git log $(git rev-parse --output=x)",
    "git log $(git rev-parse -- --output=x)",
    "git log '-- ' --output=x $(git merge-base a b)",
    "git log $(echo --output=x)",
    'echo "\'" & id "\'"',
    'echo "$(id & id)"',
    "echo \\' & id; echo 'x'",
    "echo # it's\nid & echo 'x'",
    "cat <<E\nit's\nE\nid & echo 'x'",
    "(id &)",
    "f() { id & }; f",
    "coproc id",
    "npx x --help",
    "bash x --help",
    "x --help > y",
    "x --fix --help > z",
  ])("%s may do more", async (command) => {
    const at = await room();
    Bun.spawnSync(["git", "init", "-q"], { cwd: at.root });
    expect(await verdict(at, command)).toBe("ask");
  });

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

  test("rules come first", async () => {
    const rules = { allow: ["Bash(bun test:*)"], ask: ["Bash(npm:*)"], deny: ["Bash(pytest:*)"] };
    const at = await room({ rules });
    expect(await verdict(at, "npm test")).toBe("ask");
    expect(await verdict(at, "pytest")).toBe("refuse");
    at.put("a.test.js", 'test("a", () => require("fs").writeFileSync("made", ""))');
    await run(at, "bun test");
    expect(existsSync(join(at.root, "made"))).toBe(true);
  });
});
