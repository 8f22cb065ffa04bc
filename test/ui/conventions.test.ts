/** Hooks, commands and notes on the real screen. */

import { expect, test } from "bun:test";
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { call, say } from "../fake-api/index.ts";
import { idle, programWithApi } from "./program.ts";

const { on: at, api, env } = await programWithApi("conventions");

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(at.folder, path)), { recursive: true });
  await Bun.write(join(at.folder, path), text);
}

const offline = { args: ["--offline"] };

test("/hooks shows what each hook did; a command of the project is in the menu and runs", async () => {
  const does = (command: string) => [{ hooks: [{ type: "command", command }] }];
  const hooks = {
    PreToolUse: does("echo 'Not today.' >&2; exit 2"),
    SessionEnd: does("cat >ended"),
  };
  await write(".claude/settings.json", JSON.stringify({ hooks }));
  await write(
    ".claude/commands/look.md",
    "---\ndescription: See what is here\n---\nlist the files",
  );
  api.next([call("Bash", { command: "ls" })], say("Nothing then."));
  const pty = await at.open({ env });
  await pty.type("/loo");
  await pty.waitFor("See what is here");
  await pty.send("\t", "Nothing then.");
  const screen = await pty.send("/hooks", "blocked: Not today.");
  expect(screen).toMatch(
    /TurnStart\n.*compact +built-in\n.*budget +has not compacted anything yet/,
  );
  await pty.hit("escape", (shown) => !shown.includes("TurnStart"));
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  const ended = await Bun.file(join(at.folder, "ended")).json();
  expect(ended).toMatchObject({ hook_event_name: "SessionEnd", reason: "prompt_input_exit" });
});

test("an import from outside the project is asked about, and sent once it is allowed", async () => {
  await Bun.write(join(at.root, "elsewhere.md"), "Speak like a sailor.");
  await write("CLAUDE.md", "See @~/elsewhere.md");
  api.next(say("Aye."));
  const pty = await at.open({ cols: 200, env });
  await pty.send("hello", /Import \S+\/elsewhere\.md into the instructions/);
  await pty.waitFor("Deny");
  await pty.press("tab");
  await pty.hit("y", "Aye.");
  expect(JSON.stringify(api.bodies.at(-1)?.messages)).toContain("Speak like a sailor.");
  await rm(join(at.folder, "CLAUDE.md"));
});

test("# adds a note, /memory opens it in the editor, and the next session starts with it", async () => {
  const editor = join(at.root, "editor");
  await Bun.write(editor, "#!/bin/sh\necho '- edited' >>\"$1\"\n");
  await Bun.spawn(["chmod", "+x", editor]).exited;
  const pty = await at.open({ ...offline, cols: 200, env: { EDITOR: editor } });
  await pty.send("# use tabs", "instructions: - use tabs");
  await pty.send("/memory", "Notes on this folder");
  await pty.press("enter");
  const folder = join(at.env["MINI_CLAUDE_HOME"] ?? "", "memory");
  await pty.waitFor(idle);
  await pty.send("/memory", /Notes on this folder +20 /);
  const [file = ""] = await readdir(folder);
  expect(await Bun.file(join(folder, file)).text()).toBe("- use tabs\n- edited\n");
  await pty.press("escape");
  await pty.close();
  const next = await at.open(offline);
  await next.send("what can you do?", "offline");
  await next.waitFor(idle);
  await next.send("/inspect", "memory/");
  await next.close();
});
