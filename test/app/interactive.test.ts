/** The real program in a real pseudo-terminal. */

import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { appendFile, chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cli, sandbox, type Sandbox } from "../bin.ts";
import { stdioServer } from "../extensions/mcp/open-hub.ts";
import { start, type Pty } from "../ui/pty.ts";

const boxes: Sandbox[] = [];
afterAll(() => Promise.all(boxes.map((box) => box.remove())));

async function newBox(): Promise<Sandbox> {
  const box = await sandbox("interactive");
  boxes.push(box);
  return box;
}

async function open(box: Sandbox, args: string[] = [], env = {}): Promise<Pty> {
  const pty = start([cli, "--offline", "--trust", ...args], {
    cwd: box.project,
    env: { ...box.env, ...env },
  });
  await pty.waitFor("❯ Ask");
  return pty;
}

async function logText(box: Sandbox): Promise<string> {
  const files = await Array.fromAsync(new Bun.Glob("sessions/*/*.jsonl").scan(box.home));
  return (await Promise.all(files.map((file) => readFile(join(box.home, file), "utf8")))).join("");
}

test("a history file that cannot be written is reported, and the screen stays open", async () => {
  const box = await newBox();
  await mkdir(join(box.home, "history.jsonl"), { recursive: true });
  const pty = await open(box);
  await pty.type("what can you do?\r");
  await pty.waitFor("not saved to the history");
  await pty.waitFor((screen) => /❯ what can you do\?[^]*❯ Ask/.test(screen));
  expect(await logText(box)).toContain("what can you do?");
  await pty.close();
});

/** Starts a long command and waits until its output is on the screen. */
async function atWork(box: Sandbox): Promise<Pty> {
  const pty = await open(box, ["--permission-mode", "bypass"]);
  await pty.type("run `printf %s%s be gun; sleep 57`\r");
  await pty.waitFor("begun");
  return pty;
}

const leave: [string, (pty: Pty) => Promise<void>, number][] = [
  ["SIGHUP", async (pty) => pty.kill("SIGHUP"), 129],
  ["SIGTERM", async (pty) => pty.kill("SIGTERM"), 143],
  ["Ctrl-D", (pty) => pty.press("ctrl+d"), 0],
];

test.each(leave)("%s in the middle of a call keeps its result", async (_, how, code) => {
  const box = await newBox();
  const pty = await atWork(box);
  await how(pty);
  expect(await pty.exited).toBe(code);
  const lines = (await logText(box)).trim().split("\n");
  const result = lines.find((line) => line.includes('"type":"result"'));
  expect(result).toContain("begun");
  expect(pty.output()).toContain(`Resume with: ${cli} --resume `);
  expect(pty.output()).toMatch(/--resume \d{8}-\d{6}-\w{6}/);
  await pty.close();
});

/** Sends a message whose hook takes long, and waits until that runs. */
async function atHook(box: Sandbox): Promise<Pty> {
  const begun = join(box.root, "begun");
  const command = `touch '${begun}'; sleep 57`;
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] };
  await Bun.write(join(box.home, "settings.json"), JSON.stringify({ hooks }));
  const pty = await open(box);
  await pty.type("what is here?\r");
  while (!existsSync(begun)) await Bun.sleep(10);
  return pty;
}

test("Ctrl-C pressed again quits, even if the first one put a message back into the prompt", async () => {
  const box = await newBox();
  const pty = await atHook(box);
  await pty.press("ctrl+c");
  await pty.waitFor("❯ what is here?");
  await pty.press("ctrl+c");
  expect(await pty.exited).toBe(0);
  await pty.close();
});

test("messages that Esc stops before they are sent go back into the prompt", async () => {
  const box = await newBox();
  const pty = await atHook(box);
  await pty.type("and there?\r");
  await pty.waitFor("queued: and there?");
  await pty.type("later");
  await pty.press("escape");
  await pty.waitFor(/❯ what is here\?\n +and there\?\n +later/);
  expect(await logText(box)).not.toContain('"type":"user"');
  await pty.close();
});

test("Ctrl-C in the user's pager is the pager's; SIGINT from outside leaves", async () => {
  const box = await newBox();
  const pager = join(box.root, "pager");
  // The terminal's Ctrl-C is a signal to all of its programs, as with less.
  const wait = "while :; do sleep 0.1; done";
  const lines = ["trap 'exit 0' INT", "stty -icanon -echo", "echo paging", wait];
  await writeFile(pager, `#!/bin/sh\n${lines.join("\n")}\n`);
  await chmod(pager, 0o700);
  const pty = await open(box, [], { PAGER: pager });
  await pty.type("what can you do?\r");
  await pty.waitFor((screen) => /❯ what can you do\?[^]*❯ Ask/.test(screen));
  await pty.type("/pager\r");
  await pty.waitFor("paging");
  await pty.type("\x03");
  await pty.waitFor("❯ Ask");
  pty.kill("SIGINT");
  expect(await pty.exited).toBe(130);
  expect(pty.output()).toContain("Resume with: ");
  await pty.close();
});

test.each([
  ["ends on SIGTERM", "exec sleep 57"],
  ["ignores SIGTERM", "trap '' TERM; sleep 57"],
])("SIGTERM while an editor is open that %s", async (_, work) => {
  const box = await newBox();
  const editor = join(box.root, "editor");
  await writeFile(editor, `#!/bin/sh\necho editing\n${work}\n`);
  await chmod(editor, 0o700);
  const pty = await open(box, [], { EDITOR: editor });
  await pty.type("a draft");
  await pty.press("ctrl+g");
  await pty.waitFor("editing");
  pty.kill("SIGTERM");
  expect(await pty.exited).toBe(143);
  // The screen does not come back after it.
  const last = (code: string): number => pty.output().lastIndexOf(code);
  for (const code of ["\x1b[?1049h", "\x1b[?1004h"])
    expect(last(code)).toBeLessThan(pty.output().indexOf("editing"));
  await pty.close();
});

test("a second signal while it closes does not cut that short", async () => {
  const box = await newBox();
  const file = (name: string): string => join(box.root, name);
  const command = `touch '${file("closing")}'; until [ -e '${file("again")}' ]; do sleep 0.02; done`;
  const hooks = { SessionEnd: [{ hooks: [{ type: "command", command }] }] };
  await Bun.write(join(box.home, "settings.json"), JSON.stringify({ hooks }));
  const pty = await atWork(box);
  pty.kill("SIGHUP");
  while (!existsSync(file("closing"))) await Bun.sleep(10);
  pty.kill("SIGTERM");
  await Bun.write(file("again"), "");
  expect(await pty.exited).toBe(129);
  expect(pty.output()).toContain("Resume with: ");
  await pty.close();
});

test("a stream that is cut off by quitting keeps what had arrived", async () => {
  const box = await newBox();
  const begun = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch(request) {
      if (!request.url.endsWith("/v1/messages")) return new Response("{}", { status: 404 });
      const events = [
        {
          type: "message_start",
          message: {
            id: "m",
            type: "message",
            role: "assistant",
            content: [],
            model: "claude-sonnet-5-5",
            stop_reason: null,
            stop_sequence: null,
            usage: { input_tokens: 5, output_tokens: 1 },
          },
        },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        {
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: "Half an answer\n\n" },
        },
      ];
      const text = events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`);
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(text.join("")));
          begun.resolve();
        },
      });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const pty = start([cli, "--trust"], {
    cwd: box.project,
    env: {
      ...box.env,
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}`,
      ANTHROPIC_API_KEY: "sk-test",
    },
  });
  await pty.waitFor("❯ Ask");
  expect(pty.screen()).not.toContain("offline model");
  await pty.type("hello\r");
  await begun.promise;
  await pty.waitFor("Half an answer");
  pty.kill("SIGHUP");
  expect(await pty.exited).toBe(129);
  server.stop(true);
  expect(await logText(box)).toContain("Half an answer");
  await pty.close();
});

test("hooks learn why each session ends; the prompt of the command line opens the first", async () => {
  const box = await newBox();
  const ends = join(box.root, "ends");
  const record = { hooks: [{ type: "command", command: `cat >> ${ends}; echo >> ${ends}` }] };
  await mkdir(box.home, { recursive: true });
  await Bun.write(
    join(box.home, "settings.json"),
    JSON.stringify({ hooks: { SessionEnd: [record] } }),
  );
  const pty = start([cli, "--offline", "--trust", "what", "can you do?"], {
    cwd: box.project,
    env: box.env,
  });
  const isIdle = (asked: string) => (screen: string) =>
    screen.includes(`❯ ${asked}`) && screen.includes("❯ Ask");
  await pty.waitFor(isIdle("what can you do?"));
  await pty.type("/new\r");
  await pty.waitFor((screen) => !screen.includes("what can you do?") && screen.includes("❯ Ask"));
  await pty.type("who are you?\r");
  await pty.waitFor(isIdle("who are you?"));
  await pty.type("/sessions\r");
  await pty.waitFor(/what can you do\?[^]* KB/);
  await pty.type("what can\r");
  await pty.waitFor(isIdle("what can you do?"));
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  await pty.close();
  const said = (await readFile(ends, "utf8")).matchAll(/"reason":"(\w+)"/g);
  expect([...said].map(([, reason]) => reason)).toEqual(["clear", "resume", "prompt_input_exit"]);
});

test("problems with the settings or the log, and changed files, are reported at startup", async () => {
  const box = await newBox();
  const notes = join(box.project, "notes.txt");
  await Bun.write(notes, "one\n");
  await box.run(["-p", "--offline", "--trust", "read notes.txt"]);
  await Bun.write(notes, "one\ntwo\n");
  await Bun.write(join(box.home, "settings.json"), '{"modle": "x"}');
  const [file = ""] = await Array.fromAsync(new Bun.Glob("sessions/*/*.jsonl").scan(box.home));
  await appendFile(join(box.home, file), '{"torn');
  const pty = await open(box, ["--continue"]);
  // Long paths wrap at different places in each run.
  const shown = pty.screen().replace(/\s+/g, " ");
  for (const words of ["unknown setting “modle”", "is incomplete", "Changed on disk"])
    expect(shown).toContain(words);
  // A resumed session does not say again which model it uses.
  expect(shown).not.toContain("The built-in offline model");
  await pty.close();
});

test("a setting that is changed on the screen holds until the end", async () => {
  const box = await newBox();
  const pty = await open(box);
  await pty.type("/settings\r");
  await pty.waitFor("Enter change");
  await pty.type("printOnExit\r");
  await pty.waitFor("Enter select");
  await pty.type("nothing\r");
  await pty.waitFor(/printOnExit +nothing/);
  const opened = (): number => pty.output().split("\x1b[?1049h").length;
  const before = opened();
  await pty.press("escape");
  await pty.waitFor((screen) => opened() > before && screen.includes("❯ Ask"));
  await pty.type("what can you do?\r");
  await pty.waitFor((screen) => /❯ what can you do\?[^]*❯ Ask/.test(screen));
  await pty.press("ctrl+d");
  await pty.exited;
  const left = pty.output().slice(pty.output().lastIndexOf("\x1b[?1049l"));
  expect(left).toContain("Resume with: ");
  expect(left).not.toContain("what can you do?");
  await pty.close();
});

test("a screen is not drawn into a file", async () => {
  const box = await newBox();
  const pty = start(["sh", "-c", `"${cli}" --offline --trust > screen.txt`], {
    cwd: box.project,
    env: box.env,
  });
  await pty.waitFor("This is not a terminal");
  expect(await pty.exited).toBe(2);
  expect(await Bun.file(join(box.project, "screen.txt")).text()).toBe("");
  await pty.close();
});

test("servers of the project that wait for approval are named at startup", async () => {
  const box = await newBox();
  const servers = { mcpServers: { unknown: stdioServer() } };
  await Bun.write(join(box.project, ".mcp.json"), JSON.stringify(servers));
  const pty = await open(box);
  await pty.waitFor("need your approval: unknown");
  await pty.close();
});

test("MCP servers are started once the screen is there, before any prompt", async () => {
  const box = await newBox();
  const servers = JSON.stringify({ mcpServers: { small: stdioServer() } });
  const pty = await open(box, ["--mcp-config", servers]);
  await pty.type("/mcp\r");
  await pty.waitFor(/small.*connected/);
  await pty.close();
});

test("what a command without the sandbox leaves running is named on leaving, however it was started", async () => {
  const box = await newBox();
  const pty = await open(box, ["--permission-mode", "bypass"]);
  const ways = [
    "setsid -f sleep 901",
    "(setsid sleep 902 &)",
    "nohup setsid sleep 903 > nohup.txt 2>&1 & disown",
    "sh -c 'setsid sh -c \"sleep 904 & sleep 904\" &'",
    'node -e \'require("child_process").spawn("sleep", ["905"], { detached: true, stdio: "ignore" }).unref()\'',
  ];
  for (const [at, way] of ways.entries()) {
    await pty.type(`run \`${way}; echo do''ne-${at}\`\r`);
    await pty.waitFor((shown) => shown.includes(`done-${at}`) && /❯ Ask/.test(shown));
  }
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  const ids = [
    ...pty
      .output()
      .replaceAll(/\s+/g, " ")
      .matchAll(/sleep \((\d+)\)/g),
  ].map(([, id]) => Number(id));
  expect(ids.length).toBeGreaterThanOrEqual(5);
  for (const id of ids) process.kill(id, "SIGKILL");
  await pty.close();
});
