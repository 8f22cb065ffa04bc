/** A run put together in this process, against the strict fake API. */

import { expect, spyOn, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { openLog } from "../../src/log/store.ts";
import { call, say } from "../fake-api/index.ts";
import { stdioServer } from "../extensions/mcp/open-hub.ts";
import { openedRuns, prompt, task, told, turn } from "./opened.ts";

const runs = openedRuns("open-run");
const { open, once, sent, sentTo } = runs;
const askedModels = (): string[] => runs.api.requests.flatMap(({ body }) => body?.model ?? []);

test("closing runs the hooks of the end, if there was a message, completes the log and releases it", async () => {
  const ended = join(runs.cwd, "ended");
  const hook = { hooks: [{ type: "command", command: `cat > ${ended}` }] };
  const flags = ["--settings", JSON.stringify({ hooks: { SessionEnd: [hook] } })];
  const silent = await open(flags);
  await silent.close();
  expect([existsSync(ended), existsSync(silent.log.file)]).toEqual([false, false]);
  const opened = await open(flags, [say("Hello.")]);
  await turn(opened, prompt("hi"));
  await opened.close();
  expect(await Array.fromAsync(opened.events)).toEqual([]);
  expect(readdirSync(dirname(opened.log.file)).map(extname)).toEqual([".jsonl"]);
  expect(JSON.parse(readFileSync(ended, "utf8"))).toMatchObject({
    hook_event_name: "SessionEnd",
    reason: "other",
    session_id: opened.log.session,
    transcript_path: opened.log.file,
    cwd: runs.cwd,
    permission_mode: "default",
  });
  const again = openLog(opened.log.file);
  expect(again.readOnly).toBeNull();
  expect(again.path.map(({ type }) => type)).toContain("assistant");
  await again.close();
});

test.each<[more: object, models: string[]]>([
  [{ model: "haiku" }, ["claude-opus-5-5", "claude-haiku-5-5"]],
  // A server of one's own may have no other model than the session's.
  [{}, ["claude-opus-5-5", "claude-opus-5-5"]],
])("a hook asks the model that it names, or the session's: %j", async (more, models) => {
  const hook = { hooks: [{ type: "prompt", prompt: "Is it done?", ...more }] };
  const settings = JSON.stringify({ hooks: { Stop: [hook] } });
  const answers = [say("Done."), say('{"ok": true}')];
  const { log } = await once(["--model=opus", "--settings", settings], answers);
  expect(askedModels().slice(-2)).toEqual(models);
  expect(JSON.stringify(sent()?.messages)).toContain("Is it done?");
  expect(sent()?.tools ?? []).toEqual([]);
  const [judged] = log.path.flatMap((entry) => (entry.type === "note" ? [entry] : []));
  expect(sent()?.max_tokens).toBe(4_000);
  expect(judged?.spent?.model).toBe(models[1]);
  expect(judged?.spent?.usd).toBeGreaterThan(0);
});

test("MCP servers are offered, called, attached by name and ended with the run; faults are reported", async () => {
  const odd = { type: "pigeon" };
  await runs.write({ "user/.claude/commands/review.md": "Look at it." });
  writeFileSync(join(runs.user, ".claude.json"), JSON.stringify({ mcpServers: { odd } }));
  const flag = JSON.stringify({ mcpServers: { small: stdioServer() } });
  const opened = await open(
    ["--mcp-config", flag, "--allowedTools=mcp__small"],
    [
      {
        content: [call("mcp__small__echo", { text: "Hello there." }), call("mcp__small__env", {})],
      },
      say("Done."),
    ],
  );
  expect(opened.notices).toEqual([expect.stringContaining("odd")]);
  const { mcp } = opened.run;
  mcp?.start();
  await mcp?.settled(20_000);
  const small = mcp?.servers.find(({ name }) => name === "small");
  expect(small?.state).toBe("connected");
  const offered = opened.run.opening.tools.map(({ name }) => name);
  for (const name of ["Read", "ToolSearch", "mcp__small__echo"]) expect(offered).toContain(name);
  const commands = (await opened.run.commands()).map(({ name }) => name);
  for (const name of ["mcp__small__greet", "review", "goal"])
    expect(commands.filter((one) => one === name)).toEqual([name]);
  await turn(opened, prompt("echo @small:note://a"));
  const said = JSON.stringify(runs.api.requests.at(-2)?.body?.messages);
  expect(said).toContain("\\nthe note\\n");
  expect(said).toContain("Its own description: Use it sparingly.");
  const answered = JSON.stringify(sent()?.messages);
  for (const words of ["Hello there.", "PATH"]) expect(answered).toContain(words);
  expect(answered).not.toContain("sk-ant-test");
  await opened.close();
  expect(small?.state).toBe("closed");
});

test.each<[flags: string[], env: Record<string, string>, model: string]>([
  [[], {}, "claude-opus-5-5"],
  [["--provider=openai"], { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }, "opus"],
  [["--provider=bedrock"], { AWS_REGION: "eu-west-1" }, "global.anthropic.claude-opus-5-5"],
  [["--offline"], {}, "offline"],
])("short names are Anthropic's models, and no other server's: %j", async (flags, env, model) => {
  const { run, close } = await open(["--model=opus", ...flags], [], { env });
  await close();
  expect(run.modelName).toBe(model);
  expect(run.rules.summarizer).toBeUndefined();
});

test("a model of the settings writes the summaries of every other one", async () => {
  const settings = ["--settings", '{"summary": {"model": "haiku"}}'];
  const { run, close } = await open(settings);
  await close();
  expect(run.rules).toMatchObject({
    model: "claude-sonnet-5-5",
    summarizer: { model: "claude-haiku-5-5" },
  });
  expect((await run.model.rules("claude-haiku-5-5")).summarizer).toBeUndefined();
});

test.each<[flags: string[], staysOpen: boolean, calls: number]>([
  [["--max-turns=1"], true, 1],
  [["--settings", '{"maxCalls": 2}'], true, 2],
  // Nobody is there to let it go on.
  [["--settings", '{"maxCalls": 2}'], false, 4],
])("the calls of a turn are limited by %j, attended %p: %d", async (flags, staysOpen, calls) => {
  const globs = [1, 2, 3].map((n) => ({ content: [call("Glob", { pattern: `${n}*` })] }));
  const answers = [...globs, say("Done.")].slice(0, calls);
  const { events } = await once(flags, answers, { staysOpen });
  expect(events.at(-1)).toMatchObject(calls === 4 ? { why: "done" } : { limit: "turns" });
});

test("in a folder that is no project there is no mode auto", async () => {
  const more = { cwd: runs.user };
  using _ = spyOn(Bun, "which").mockReturnValue(null);
  const { run, notices, close } = await open(["--permission-mode=auto"], [], more);
  expect(run.toolbox.mode).toBe("accept-edits");
  expect(notices).toEqual([
    expect.stringContaining("no mode auto"),
    expect.stringContaining("git is not installed"),
  ]);
  await close();
});

test.each([
  ["on", "claude-sonnet-4-5", true],
  ["auto", "claude-sonnet-4-5", false],
  ["auto", "sonnet", true],
  ["off", "sonnet", false],
])("scripts %s with %s: %p, where they can be confined", async (scripts, model, offers) => {
  const flags = [`--model=${model}`, "--settings", JSON.stringify({ scripts })];
  const { run, close } = await open(flags);
  const confines = await run.toolbox.hasSandbox();
  await close();
  expect(run.toolbox.names.includes("Script")).toBe(offers && confines);
});

test("the end of a background command is news", async () => {
  const waits = "until [ -e go ]; do sleep 0.02; done; echo the end";
  const command = { command: waits, run_in_background: true };
  const opened = await open(
    ["--permission-mode=bypass"],
    [{ content: [call("Bash", command)] }, say("Started."), say("Ended.")],
  );
  await turn(opened, prompt("start it"));
  await runs.write({ "project/go": "" });
  while ((await opened.events.next()).value?.type !== "idle");
  expect(told(opened.log.path)).toContain("the end");
  await opened.close();
});

test("the model's search of the session does not find the question that it works on", async () => {
  const recall = { content: [call("Recall", { query: "zebra" })] };
  const opened = await open([], [say("Ok."), recall, say("Done.")]);
  const { log } = opened;
  await turn(opened, prompt("A zebra is striped."));
  await turn(opened, prompt("What did I say about the zebra?"));
  const result = log.path.findLast((entry) => entry.type === "result");
  expect(JSON.stringify(result?.content)).toContain("A zebra is striped.");
  expect(JSON.stringify(result?.content)).not.toContain("What did I say");
  await opened.close();
});

test("flags of the run reach the request: prompt, tools, the form of the answer, effort", async () => {
  const schema = JSON.stringify({ type: "object", properties: { n: { type: "number" } } });
  await once(
    [
      "--system-prompt=Be a pirate.",
      "--append-system-prompt=Rhyme.",
      "--tools=Read,Grep",
      `--json-schema=${schema}`,
      "--effort=low",
      "--model=opus",
    ],
    [say("Arr.")],
  );
  const system = JSON.stringify(sent()?.system);
  expect(system).toContain("Be a pirate.\\n\\nRhyme.");
  expect(system).not.toContain("mini-claude");
  expect(
    sent()
      ?.tools?.map(({ name }) => name)
      .toSorted(),
  ).toEqual(["Grep", "Read", "StructuredOutput"]);
  expect(sent()).toMatchObject({ output_config: { effort: "low" } });
});

test("the key of the environment is sent; a server of the user's own needs none", async () => {
  const readKey = async (env: Record<string, string>) => {
    await once([], [say("Hello.")], { env });
    return runs.api.requests.at(-1)?.headers.get("authorization");
  };
  expect(await readKey({})).toBe("Bearer sk-ant-test");
  expect(await readKey({ ANTHROPIC_API_KEY: "" })).toBe("Bearer none");
  const token = { ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "a-token" };
  expect(await readKey(token)).toBe("Bearer a-token");
});

test("a subagent is asked by the session's model, as it is now, or the task's; it takes no notes and has no form of the answer", async () => {
  const schema = JSON.stringify({ type: "object", properties: {} });
  const opened = await open(
    [`--json-schema=${schema}`, "--append-system-prompt=Rhyme."],
    [
      task("TASK ONE"),
      say("Seen."),
      task("TASK TWO", { model: "haiku" }),
      say("Seen."),
      say("Done."),
    ],
  );
  await turn(opened, { type: "model", model: "opus" });
  await turn(opened, prompt("go"));
  await opened.close();
  const [one, two, own] = [sentTo("TASK ONE"), sentTo("TASK TWO"), sent()];
  expect([one, two, own].map((request) => request?.model)).toEqual([
    "claude-opus-5-5",
    "claude-haiku-5-5",
    "claude-opus-5-5",
  ]);
  const system = JSON.stringify(one?.system);
  expect(system).toMatch(/Rhyme\.\\n\\nYou work for another agent/);
  const [names, all] = [one, own].map((request) => request?.tools?.map(({ name }) => name));
  expect(names).toContain("Bash");
  for (const name of ["StructuredOutput", "Agent", "Remember"]) {
    expect(names).not.toContain(name);
    expect(all).toContain(name);
  }
});

test("a subagent ends neither the session nor what it shares with it", async () => {
  const ended = join(runs.cwd, "ended");
  const hook = { hooks: [{ type: "command", command: `echo x >> ${ended}` }] };
  const flags = [
    "--settings",
    JSON.stringify({ hooks: { SessionEnd: [hook], SessionStart: [hook] } }),
    `--mcp-config=${JSON.stringify({ mcpServers: { small: stdioServer() } })}`,
    "--allowedTools=Bash",
  ];
  const file = join("/tmp", `shared-${crypto.randomUUID()}`);
  const bash = (command: string) => ({ content: [call("Bash", { command })] });
  const opened = await open(flags, [
    bash(`echo kept > ${file}`),
    task("TASK"),
    bash(`cat ${file}`),
    say("Seen."),
    bash(`cat ${file}; rm ${file}`),
    say("Done."),
  ]);
  opened.run.mcp?.start();
  await opened.run.mcp?.settled(20_000);
  await turn(opened, prompt("go"));
  expect(opened.run.mcp?.servers.map(({ state }) => state)).toEqual(["connected"]);
  expect(readFileSync(ended, "utf8")).toBe("x\n");
  expect(JSON.stringify(sent()?.messages.at(-1))).toContain("kept");
  await opened.close();
  expect(readFileSync(ended, "utf8")).toBe("x\nx\n");
  expect(existsSync(file)).toBe(false);
});

test("a subagent follows the mode of the session and its rules that deny; a read-only one is in plan mode", async () => {
  const settings = JSON.stringify({ permissions: { deny: ["Bash(touch denied)"] } });
  const touches = (...names: string[]) => ({
    content: names.map((name) => call("Bash", { command: `touch ${name}` })),
  });
  const readOnly = task("TASK", { subagent_type: "Explore" });
  const writes = [task("TASK OF WRITING"), touches("early"), touches("a", "denied"), say(".")];
  const opened = await open(
    ["--permission-mode=plan", "--settings", settings],
    [...writes, readOnly, touches("b"), say("."), say(".")],
    {
      onSubagentEvent(_, event) {
        if (event.type === "entry" && event.entry.type === "result")
          opened.send({ type: "mode", mode: "bypass" });
      },
    },
  );
  await turn(opened, prompt("go"));
  await opened.close();
  expect(JSON.stringify(sentTo("TASK OF WRITING"))).toContain("Permission mode: plan");
  const made = ["early", "a", "denied", "b"].map((name) => existsSync(join(runs.cwd, name)));
  expect(made).toEqual([false, true, false, false]);
});

test("a rewind undoes what a subagent, and then the agent, wrote, and is not taken for a command's work", async () => {
  const till = join(runs.cwd, "till.ts");
  await Bun.write(till, "before\n");
  const read = { content: [call("Read", { file_path: "till.ts" })] };
  const write = (content: string) => ({
    content: [call("Write", { file_path: "till.ts", content })],
  });
  const opened = await open(
    ["--permission-mode=accept-edits"],
    [task("TASK"), read, write("after\n"), say("Seen."), read, write("last\n"), say("Done.")],
  );
  const rewind = (to: string | null = null) =>
    turn(opened, { type: "rewind", to, files: true, conversation: true });
  await turn(opened, prompt("go"));
  const { head } = opened.log;
  expect(readFileSync(till, "utf8")).toBe("last\n");
  await rewind(opened.log.path.find(({ type }) => type === "user")?.parent);
  expect(readFileSync(till, "utf8")).toBe("before\n");

  const other = { content: [call("Write", { file_path: "other.ts", content: "new\n" })] };
  runs.api.next(other, say("Done."));
  await turn(opened, prompt("another way"));
  // Notes of these writes hold for a minute.
  rmSync(join(runs.home, "snapshots"), { recursive: true });
  const wait = "touch begun; until [ -e end ]; do sleep 0.02; done";
  const beside = await open(
    ["--permission-mode=bypass"],
    [{ content: [call("Bash", { command: wait })] }, say("Waited.")],
  );
  const waited = turn(beside, prompt("wait"));
  while (!existsSync(join(runs.cwd, "begun"))) await Bun.sleep(5);
  await rewind(head);
  expect([readFileSync(till, "utf8"), existsSync(join(runs.cwd, "other.ts"))]).toEqual([
    "last\n",
    false,
  ]);
  // Written before it is there: what changes after the command's end is not the command's.
  await runs.write({ "user/end": "" });
  renameSync(join(runs.home, "../end"), join(runs.cwd, "end"));
  await waited;
  const seen = beside.log.path.flatMap((entry) => (entry.type === "checkpoint" ? entry.files : []));
  expect(seen.map(({ path, unsure = false }) => [basename(path), unsure])).toEqual([
    ["begun", false],
    ["end", false],
    ["other.ts", true],
    ["till.ts", true],
  ]);
  for (const run of [beside, opened]) await run.close();
});

test("files that an earlier run read may be replaced, its results may be read, and its faults are told", async () => {
  for (const name of ["a.txt", "b.txt"]) await Bun.write(join(runs.cwd, name), "old\n");
  await Bun.write(join(runs.cwd, "long.txt"), `${"line\n".repeat(20_000)}`);
  const mode = "--permission-mode=accept-edits";
  const reads = [call("Read", { file_path: "a.txt" }), call("Bash", { command: "cat long.txt" })];
  const first = await once([mode], [{ content: reads }, say("Read.")]);
  const file = first.log.path.flatMap((entry) => (entry.type === "result" && entry.file) || [])[0];
  const write = (file_path: string) => call("Write", { file_path, content: "new\n" });
  const writes = [write("a.txt"), write("b.txt"), call("Read", { file_path: file, limit: 2 })];
  appendFileSync(first.log.file, '{"torn');
  const left = { pid: 2 ** 22 + 1, started: "", roots: [runs.cwd], command: "make" };
  await runs.write({ "user/.mini-claude/snapshots/running/a.json": JSON.stringify(left) });
  const { events, log, notices } = await once(
    [mode, `--resume=${first.log.session}`],
    [{ content: writes }, say("Written.")],
  );
  expect(readFileSync(join(runs.cwd, "a.txt"), "utf8")).toBe("new\n");
  expect(readFileSync(join(runs.cwd, "b.txt"), "utf8")).toBe("old\n");
  expect(notices).toEqual([
    expect.stringContaining("the last line is incomplete"),
    expect.stringContaining("ended abruptly at a command (make)"),
  ]);
  expect(events.filter(({ type }) => type === "ask")).toEqual([]);
  expect(JSON.stringify(log.path.findLast(({ type }) => type === "result"))).toContain("line");
});

test("with the setting, the replaced conversation is written to a folder of the project", async () => {
  const flags = ["--settings", JSON.stringify({ transcriptDir: "new/transcripts" })];
  const opened = await open(flags, [
    say("word ".repeat(8_000)),
    say("And more."),
    say("<summary>They wrote words, many of them, and then some more.</summary>"),
  ]);
  await turn(opened, prompt("write"));
  await turn(opened, prompt("more"));
  await turn(opened, { type: "compact", how: "summarize", trigger: "command" });
  const dir = join(runs.cwd, "new/transcripts");
  const modes = [dir, ...readdirSync(dir).map((file) => join(dir, file))].map(
    (path) => statSync(path).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o600]);
  await opened.close();
});

test("git is the one of the PATH, but never one of the project", async () => {
  Bun.spawnSync(["git", "init", "-q"], { cwd: runs.cwd });
  const outside = mkdtempSync(join(runs.base, "bin-"));
  const inside = join(runs.cwd, "node_modules/.bin");
  for (const folder of [inside, outside]) {
    await Bun.write(join(folder, "git"), `#!/bin/sh\ntouch ${folder}/ran\nexit 1\n`);
    chmodSync(join(folder, "git"), 0o755);
  }
  const PATH = [inside, outside, process.env["PATH"]].join(":");
  const opened = await open(["--trust"], [], { env: { PATH } });
  await opened.run.git?.(["status"]);
  expect([inside, outside].map((folder) => existsSync(join(folder, "ran")))).toEqual([false, true]);
  await opened.close();
});

test("git leaves out files that the user ignores globally", async () => {
  Bun.spawnSync(["git", "init", "-q"], { cwd: runs.cwd });
  await Bun.write(join(runs.user, ".config/git/ignore"), "*.scratch\n");
  for (const name of ["a.scratch", "a.txt"]) await Bun.write(join(runs.cwd, name), "");
  const opened = await open(["--trust"]);
  const status = await opened.run.git?.(["status", "--porcelain"]);
  expect(status).toContain("a.txt");
  expect(status).not.toContain("a.scratch");
  await opened.close();
});

test("closing waits until background commands have ended", async () => {
  const command = `trap 'sleep 0.2; touch ended; exit' TERM; touch begun; while :; do sleep 0.05; done`;
  const opened = await open(
    ["--permission-mode=bypass"],
    [{ content: [call("Bash", { command, run_in_background: true })] }, say("Started.")],
  );
  await turn(opened, prompt("start it"));
  while (!existsSync(join(runs.cwd, "begun"))) await Bun.sleep(5);
  await opened.close();
  expect(existsSync(join(runs.cwd, "ended"))).toBe(true);
});
