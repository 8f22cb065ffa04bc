/** Hooks of settings files, run by the real program against the strict fake API. */

import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { call, say } from "../fake-api/index.ts";
import type { Sandbox } from "../bin.ts";
import { realProgram } from "./real-program.ts";

const { api, env, boxWith: boxWithFiles } = realProgram("hooks", "sk-ant-of-nobody-at-all");

type Groups = Record<
  string,
  { matcher?: string; hooks: { type: string; command?: string; prompt?: string }[] }[]
>;

const does = (command: string, matcher?: string) => [
  { ...(matcher ? { matcher } : {}), hooks: [{ type: "command", command }] },
];

const boxWith = (files: Record<string, Groups>): Promise<Sandbox> =>
  boxWithFiles(
    Object.fromEntries(
      Object.entries(files).map(([file, hooks]) => [file, JSON.stringify({ hooks })]),
    ),
  );

const ask = (box: Sandbox, ...flags: string[]) => box.run(["-p", ...flags, "go"], { env });
const bash = (command: string) => [call("Bash", { command }, `t-${command.length}`)];
const sent = (): string => JSON.stringify(api.bodies.at(-1)?.messages);

test("hooks of the user and of the trusted project run at every event, without keys", async () => {
  const record = 'cat >>"$CLAUDE_PROJECT_DIR/seen"; echo >>"$CLAUDE_PROJECT_DIR/seen"';
  const events = ["SessionStart", "TurnStart", "PreToolUse", "PostToolUse", "Stop", "TurnEnd"];
  const box = await boxWith({
    "home/.claude/settings.json": { SessionEnd: does(record) },
    "home/.mini-claude/settings.json": {
      UserPromptSubmit: does(`${record}; env; echo "It is Monday."`),
    },
    "project/.claude/settings.json": Object.fromEntries(
      events.map((event) => [event, does(record)]),
    ),
  });
  api.next(bash("ls"), say("done"));
  const { code, out } = await ask(box, "--trust");
  expect([code, out]).toEqual([0, "done\n"]);
  const lines = (await Bun.file(join(box.project, "seen")).text()).split("\n").filter(Boolean);
  const seen = lines.map((line) => JSON.parse(line));
  expect(seen.map(({ hook_event_name }) => hook_event_name)).toEqual([
    "SessionStart",
    "UserPromptSubmit",
    "TurnStart",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "TurnEnd",
    "SessionEnd",
  ]);
  expect(seen[0]).toMatchObject({
    source: "startup",
    cwd: box.project,
    permission_mode: "default",
  });
  expect(seen[3]).toMatchObject({ tool_name: "Bash", tool_input: { command: "ls" } });
  expect(seen[4].tool_response).toMatchObject({ stdout: "seen", stderr: "", interrupted: false });
  expect(await Bun.file(seen[0].transcript_path).exists()).toBe(true);
  expect(sent()).toContain("It is Monday.");
  expect(sent()).toContain("HOME=");
  expect(sent()).not.toContain("of-nobody");
});

test("hooks of an untrusted project do not run, and the start says so", async () => {
  const box = await boxWith({
    "project/.claude/settings.json": { SessionStart: does("touch ran") },
  });
  api.next(say("done"));
  const { err } = await ask(box);
  expect(err).toContain(
    "Not used, because this folder is not trusted: .claude/settings.json (hooks)",
  );
  expect(await Bun.file(join(box.project, "ran")).exists()).toBe(false);
});

test("--setting-sources chooses whose hooks run", async () => {
  const box = await boxWith({
    "home/.claude/settings.json": { TurnStart: does("touch user") },
    "project/.claude/settings.json": { TurnStart: does("touch project") },
    "project/.claude/settings.local.json": { TurnStart: does("touch local") },
  });
  api.next(say("done"));
  await ask(box, "--trust", "--setting-sources", "project");
  const ran = ["user", "project", "local"].map((name) =>
    Bun.file(join(box.project, name)).exists(),
  );
  expect(await Promise.all(ran)).toEqual([false, true, false]);
});

test("a hook's allow lets a call run without a question, but never one that a rule denies", async () => {
  const allow = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`;
  const box = await boxWith({ "project/.claude/settings.json": { PreToolUse: does(allow) } });
  await mkdir(box.home, { recursive: true });
  await Bun.write(
    join(box.home, "settings.json"),
    JSON.stringify({ permissions: { deny: ["Bash(touch denied:*)"] } }),
  );
  api.next(bash("touch allowed"), bash("touch denied"), say("done"));
  await ask(box, "--trust");
  expect(await Bun.file(join(box.project, "allowed")).exists()).toBe(true);
  expect(await Bun.file(join(box.project, "denied")).exists()).toBe(false);
  expect(sent()).toContain("of the settings denies this");
});

test("hooks see the keys and the absolute paths that they expect, however the model wrote them", async () => {
  const box = await boxWith({
    "project/.claude/settings.json": {
      PreToolUse: does(
        'grep -q "\\"file_path\\":\\"$CLAUDE_PROJECT_DIR/keep.txt\\"" && exit 2 || exit 0',
      ),
    },
  });
  const write = (input: object, id: string) => [call("Write", input, id)];
  api.next(
    write({ path: "keep.txt", content: "x" }, "a1"),
    write({ file_path: "other.txt", content: "x" }, "a2"),
    say("done"),
  );
  await ask(box, "--trust", "--permission-mode", "accept-edits");
  expect(await Bun.file(join(box.project, "keep.txt")).exists()).toBe(false);
  expect(await Bun.file(join(box.project, "other.txt")).exists()).toBe(true);
});

test("hooks around failures, questions and compactions get what is documented", async () => {
  const record = `printf '%s\\n' "$(cat)" >>"$CLAUDE_PROJECT_DIR/seen"`;
  const events = [
    "PostToolUseFailure",
    "PermissionRequest",
    "Notification",
    "PreCompact",
    "PostCompact",
  ];
  const box = await boxWith({
    "home/.claude/settings.json": {
      ...Object.fromEntries(events.map((event) => [event, does(record)])),
      SessionStart: does(`${record}; echo 'The moon is full.'`, "compact"),
    },
  });
  const words = "Much was said about the harbor. ".repeat(200);
  const missing = call("Read", { file_path: "missing" }, "r1");
  api.next([missing], bash("touch made"), say(words));
  await ask(box);
  api.next(say(words), say(words));
  await ask(box, "--continue");
  await ask(box, "--continue");
  api.next(
    say(`<analysis>a</analysis><summary>${"The harbor was discussed. ".repeat(30)}</summary>`),
  );
  await box.run(["-p", "--continue", "/compact the tides"], { env });
  const read = (): Promise<string> => Bun.file(join(box.project, "seen")).text();
  // Nothing waits for these hooks.
  while (!(await read()).includes("permission_prompt")) await Bun.sleep(5);
  const lines = (await read()).split("\n").filter(Boolean);
  const seen = lines.map((line) => JSON.parse(line));
  const of = (event: string) => seen.filter((one) => one.hook_event_name === event);
  expect(of("PostToolUseFailure")).toMatchObject([{ tool_name: "Read", tool_use_id: "r1" }]);
  expect(of("PostToolUseFailure")[0].error).toContain("missing");
  expect(of("PermissionRequest")).toMatchObject([{ tool_input: { command: "touch made" } }]);
  expect(of("Notification")).toMatchObject([{ notification_type: "permission_prompt" }]);
  expect(of("PreCompact")).toMatchObject([{ trigger: "manual", custom_instructions: "the tides" }]);
  expect(of("PostCompact")).toMatchObject([{ compact_summary: expect.stringMatching(/./) }]);
  expect(of("SessionStart")).toMatchObject([{ source: "compact" }]);
  api.next(say("done"));
  await ask(box, "--continue");
  expect(sent()).toContain("The moon is full.");
});

test("a hook of type prompt asks the model whether to continue; its cost is counted", async () => {
  const prompt = "Has it said please? $ARGUMENTS";
  const box = await boxWith({
    "home/.mini-claude/settings.json": {
      Stop: [{ hooks: [{ type: "prompt", prompt }] }],
    },
  });
  api.next(
    say("Done."),
    say('{"ok": false, "reason": "Say please."}'),
    say("Please."),
    say('{"ok": true}'),
  );
  const { out } = await ask(box, "--output-format", "json");
  expect(JSON.parse(out).result).toBe("Please.");
  const [file = ""] = await Array.fromAsync(new Bun.Glob("sessions/*/*.jsonl").scan(box.home));
  const log = await Bun.file(join(box.home, file)).text();
  expect(log).toContain('"text":"A Stop hook asked claude-sonnet-5-5: Say please.","spent":{');
  const requests = api.bodies.slice(-4);
  expect(JSON.stringify(requests[1]?.messages)).toContain("Has it said please? {");
  expect(JSON.stringify(requests[2]?.messages)).toContain("Say please.");
  expect(requests[1]?.tools ?? []).toEqual([]);
});

test("a script that the user's own hook names is protected from the first call on, of subagents, too", async () => {
  const settings = { Stop: does("sh check.sh") };
  const box = await boxWith({
    "home/.mini-claude/settings.json": settings,
    "project/.claude/settings.json": { Stop: does("sh other.sh") },
  });
  const script = join(box.project, "check.sh");
  for (const file of ["check.sh", "other.sh"]) await Bun.write(join(box.project, file), "true\n");
  const write = [
    call("Bash", { command: "echo false > check.sh" }, "r"),
    call("Bash", { command: "echo false >> other.sh" }, "w"),
  ];
  const input = { description: "change it", prompt: "Change it." };
  const start = [call("Agent", input, "a")];
  api.next(write, start, write, say("changed"), say("done"));
  const { code } = await ask(box, "--trust", "--permission-mode=auto");
  expect(code).toBe(0);
  expect(await Bun.file(join(box.project, "other.sh")).text()).toBe("true\nfalse\nfalse\n");
  expect(await Bun.file(script).text()).toBe("true\n");
});
