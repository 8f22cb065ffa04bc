import { afterAll, expect, test } from "bun:test";
import type { ToolUseBlock } from "../../../src/protocol/block.ts";
import { type Room, leave, room } from "../room.ts";

afterAll(leave);

const bash = (command: string, id = command): ToolUseBlock => ({
  type: "tool_use",
  id,
  name: "bash",
  input: { command },
});

async function allowed(at: Room, command: string): Promise<string> {
  const call = bash(command);
  const review = await at.box.review(call);
  if (review.verdict !== "ask") throw new Error(`${command} was not asked`);
  at.box.allowForSession(call);
  return review.ask.rule;
}

const verdict = async (at: Room, command: string) =>
  (await at.box.review(bash(command, `again ${command}`))).verdict;

test("a yes for the session covers the command's beginning, and only where nothing else happens", async () => {
  const at = await room();
  expect(await allowed(at, "npm run test -- a")).toBe('commands that begin with "npm run test"');
  for (const command of ["npm run test", "npm run test -- b", "ls && npm run test | head"]) {
    expect(await verdict(at, command)).toBe("allow");
  }
  for (const command of [
    "npm run build",
    "npm run testing",
    "npm install x",
    "npm run test && touch x",
    "npm run test; touch x",
    "npm run test | sh",
    "npm run test > ~/.bashrc",
    "npm run test $(touch x)",
    "npm run test & touch x",
    "FOO=1 npm run test",
  ]) {
    expect(await verdict(at, command)).toBe("ask");
  }
});

test("a chain is allowed command by command", async () => {
  const at = await room();
  const rule = await allowed(at, "cargo build && cargo test; ls");
  expect(rule).toBe('commands that begin with "cargo build" or "cargo test"');
  expect(await verdict(at, "cargo test")).toBe("allow");
  expect(await verdict(at, "cargo build && rm x")).toBe("ask");
});

test.each([
  "python3 x.py",
  "bash x.sh",
  "node -e 1",
  "npx x",
  "git -c a=b commit",
  "git config a b",
  "rm x",
  "ls > x",
  "echo $X",
  "docker run x",
  "find . -exec ls {} +",
])("of %j only the very line is allowed", async (command) => {
  const at = await room();
  expect(await allowed(at, command)).toBe("exactly this command");
  expect(await verdict(at, command)).toBe("allow");
  expect(await verdict(at, `${command} more`)).toBe("ask");
});

test("a danger is asked again although its beginning was allowed", async () => {
  const at = await room();
  await allowed(at, "git push origin main");
  expect(await verdict(at, "git push")).toBe("allow");
  expect(await verdict(at, "git push --force")).toBe("ask");
  const danger = bash("git push --force");
  await at.box.review(danger);
  at.box.allowForSession(danger);
  expect(await verdict(at, "git push --force")).toBe("ask");
});

test("a yes to an edit covers the same tool in the same folder", async () => {
  const at = await room();
  const write = (path: string): ToolUseBlock => ({
    type: "tool_use",
    id: `write ${path}`,
    name: "write_file",
    input: { path, content: "x" },
  });
  const review = async (path: string) => (await at.box.review(write(path))).verdict;
  const first = await at.box.review(write("src/a.ts"));
  expect(first.verdict === "ask" && first.ask.rule).toBe("write_file anywhere in src");
  at.box.allowForSession(write("src/a.ts"));
  expect(await review("src/b.ts")).toBe("allow");
  expect(await review("src/deep/c.ts")).toBe("allow");
  expect(await review("srcs/b.ts")).toBe("ask");
  expect(await review("b.ts")).toBe("ask");
  expect(await review("src/../b.ts")).toBe("ask");
  expect(await review("src/.env")).toBe("ask");
});
