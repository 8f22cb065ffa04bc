/** What remains on the terminal after quitting, and the command that resumes. */

import { afterAll, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { say, startFakeApi } from "../fake-api/index.ts";
import { lastLines } from "../../src/ui/transcript/viewport.ts";
import { statusRequest } from "../../src/ui/terminal/flow.ts";
import { idle, program } from "./program.ts";
import { type Pty, start } from "./pty.ts";
import { cli } from "../bin.ts";

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
});

test("with printOnExit: answer, only the last answer stays", async () => {
  const text = await left("answer");
  expect(text).toContain("The second answer.");
  expect(text).not.toContain("question");
});

test("with printOnExit: nothing, only the command stays", async () => {
  expect(await left("nothing")).toMatch(/^Resume with: /);
});

test("an empty session leaves nothing", async () => {
  const pty = await on.open({ env });
  await pty.press("ctrl+d");
  await pty.exited;
  expect(pty.screen()).toBe("");
  await pty.close();
});

/** Presses a key while the terminal has not answered yet; it does so a little later. */
async function pressBeforeAnswer(pty: Pty, chord: string): Promise<void> {
  const asked = (): number => pty.output().split(statusRequest).length;
  pty.hold();
  const before = asked();
  pty.resize(80 + before, 30);
  while (asked() === before) await Bun.sleep(5);
  await pty.press(chord);
  await Bun.sleep(100);
  pty.release();
}

test("a late answer of the terminal is not left to the shell", async () => {
  const pty = await on.open({ env });
  await pressBeforeAnswer(pty, "ctrl+d");
  expect(await pty.exited).toBe(0);
  expect(pty.screen()).toBe("");
  await pty.close();
});

test("a late answer of the terminal does not reach an editor", async () => {
  const seen = join(on.root, "seen");
  const editor = join(on.root, "editor");
  // Reads what comes until nothing has come for half a second.
  const script = `#!/bin/sh\nstty -icanon min 0 time 5\ncat > ${seen}\nstty icanon\n`;
  await Bun.write(editor, script);
  chmodSync(editor, 0o700);
  const pty = await on.open({ env: { ...env, EDITOR: editor } });
  await pressBeforeAnswer(pty, "ctrl+g");
  // The screen is back.
  await pty.waitFor(() => pty.output().split("\x1b[?1049h").length === 3);
  await pty.press("ctrl+d");
  await pty.exited;
  expect(await Bun.file(seen).text()).toBe("");
  await pty.close();
});

test("a resize while an editor is open writes nothing over it, for screen readers either", async () => {
  const editor = join(on.root, "waits");
  await Bun.write(editor, "#!/bin/sh\nprintf opened\nsleep 1\nprintf closed\n");
  chmodSync(editor, 0o700);
  const pty = start([cli, "--trust", "--screen-reader"], {
    cwd: on.folder,
    env: { ...on.env, ...env, EDITOR: editor },
  });
  await pty.waitFor("ready");
  await pty.press("ctrl+g");
  await pty.waitFor("opened");
  pty.resize(70, 20);
  await pty.waitFor(() => pty.output().includes("closed"));
  expect(pty.output()).toContain("openedclosed");
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  await pty.close();
});

test("a long conversation leaves its last lines", () => {
  const source = { count: 100, lines: (item: number) => [`${item}a`, `${item}b`] };
  expect(lastLines(source, 3)).toEqual({ lines: ["98b", "99a", "99b"], isCut: true });
  expect(lastLines({ count: 1, lines: () => ["x"] }, 3)).toEqual({ lines: ["x"], isCut: false });
});
