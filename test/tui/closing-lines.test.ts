/** What remains on the terminal after quitting, and the command that resumes. */

import { afterAll, expect, test } from "bun:test";
import { say, startFakeApi } from "../fake-api/index.ts";
import { lastLines } from "../../src/tui/transcript/viewport.ts";
import { idle, program } from "./program.ts";

const on = await program("closing-lines");
const api = startFakeApi();
const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test" };
afterAll(async () => {
  await on.remove();
  await api.stop();
});

async function left(setting: string): Promise<string> {
  api.next(say("The first answer."), say("The second answer."));
  const pty = await on.open({ env: { ...env, MINI_CLAUDE_PRINT_ON_EXIT: setting } });
  for (const n of ["first", "second"]) {
    await pty.type(`the ${n} question\r`);
    await pty.waitFor((now) => now.includes(`The ${n} answer.`) && idle.test(now));
  }
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  await pty.waitFor("Resume with: ");
  const text = pty.screen();
  await pty.close();
  return text;
}

test("the conversation stays in the scrollback, and the resume command works", async () => {
  const text = await left("conversation");
  for (const words of ["❯ the first question", "The first answer.", "❯ the second question"])
    expect(text).toContain(words);
  const command = /Resume with: ([\s\S]+)$/.exec(text)?.[1]?.replace(/\n/g, "").trim() ?? "";
  const run = Bun.spawn(["sh", "-c", `${command} --trust -p again`], {
    cwd: on.folder,
    env: { ...on.env, ...env, PATH: `${on.env["PATH"]}` },
    stdout: "pipe",
    stderr: "pipe",
  });
  api.next(say("Here again."));
  expect(await run.stdout.text()).toContain("Here again.");
  expect(await Array.fromAsync(new Bun.Glob("home/sessions/*/*.jsonl").scan(on.root))).toHaveLength(
    1,
  );
}, 60_000);

test("with printOnExit: answer, only the last answer stays", async () => {
  const text = await left("answer");
  expect(text).toContain("The second answer.");
  expect(text).not.toContain("question");
}, 60_000);

test("with printOnExit: nothing, only the command stays", async () => {
  expect(await left("nothing")).toMatch(/^Resume with: /);
}, 60_000);

test("an empty session leaves nothing", async () => {
  const pty = await on.open({ env });
  await pty.press("ctrl+d");
  await pty.exited;
  expect(pty.screen()).toBe("");
  await pty.close();
}, 60_000);

test("a long conversation leaves its last lines", () => {
  const source = { count: 100, lines: (item: number) => [`${item}a`, `${item}b`] };
  expect(lastLines(source, 3)).toEqual({ lines: ["98b", "99a", "99b"], isCut: true });
  expect(lastLines({ count: 1, lines: () => ["x"] }, 3)).toEqual({ lines: ["x"], isCut: false });
});
