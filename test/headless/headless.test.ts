/** `mini-claude -p`: the real program without a terminal. */

import { afterAll, expect, spyOn, test } from "bun:test";
import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { cli, sandbox } from "../bin.ts";
import { endProcesses, inProcess, spawnInProcess } from "../in-process.ts";

const started = await sandbox("headless");
const box = inProcess(started);
afterAll(started.remove);

test("standard input follows the prompt, and is the prompt where there is none", async () => {
  const both = await box.run(["-p", "--output-format", "events", "explain"], {
    stdin: "piped words",
  });
  expect(both.out).toContain("explain\\n\\npiped words");
  const only = await box.run(["--output-format", "events"], { stdin: "what can you do?" });
  expect(only.code).toBe(0);
  expect(only.out).toContain("what can you do?");
  const none = await box.run(["-p"], { stdin: " \n" });
  expect(none).toMatchObject({ code: 2, out: "" });
  expect(none.err).toContain("-p needs a prompt");
  const blank = await box.run([], { stdin: " \n" });
  expect(blank).toMatchObject({ code: 2, out: "" });
  expect(blank.err).toContain("This is not a terminal");
});

test("input is read to its end, characters across chunks included, up to 64 MB", async () => {
  const slow = spawnInProcess(started, ["-p", "--output-format=events"]);
  const bytes = Buffer.from("gr\u00fcn");
  slow.stdin.write(bytes.subarray(0, 3));
  await Bun.sleep(1);
  slow.stdin.write(bytes.subarray(3));
  slow.stdin.end();
  expect(await slow.stdout.text()).toContain('"text":"gr\u00fcn"');
  const long = spawnInProcess(started, ["-p"]);
  const said = long.stderr.text();
  const piece = new Uint8Array(1024 ** 2).fill(97);
  for (let sent = 0; sent < 65; sent++) long.stdin.write(piece);
  expect([await long.exited, await said]).toEqual([
    2,
    "mini-claude: Standard input is longer than 64 MB. Name a file in the prompt instead.\n",
  ]);
});

test("input that never arrives is not waited for where there is a prompt", async () => {
  const wait = setTimeout;
  const soon = spyOn(globalThis, "setTimeout");
  const sooner = (run: () => void, ms?: number) => wait(run, ms === 3_000 ? 0 : ms);
  soon.mockImplementation(Object.assign(sooner, wait));
  const child = spawnInProcess(started, ["-p", "--offline", "hello"]);
  const said = child.stderr.text();
  expect(await child.exited).toBe(0);
  soon.mockRestore();
  expect(await said).toContain("No input arrived on standard input; continuing.\n");
});

test("a reader that closes early ends the run silently", async () => {
  const flags = ["--permission-mode=bypass", "--output-format=stream-json", "--verbose"];
  const child = spawnInProcess(started, ["-p", ...flags, "run `sleep 57`"]);
  child.stdin.end();
  await child.stdout.cancel();
  expect([await child.exited, await child.stderr.text()]).toEqual([130, ""]);
});

test("output on a full disk fails the run with a sentence", async () => {
  const flags = ["--permission-mode=bypass", "--output-format=events"];
  const child = spawnInProcess(started, ["-p", ...flags, "run `sleep 57`"]);
  child.stdin.end();
  await child.stdout.cancel("ENOSPC");
  const [code, said] = [await child.exited, await child.stderr.text()];
  expect(code).toBe(1);
  expect(said.match(/^.* cannot be written.*$/gm)).toEqual([
    "mini-claude: Standard output cannot be written: write ENOSPC",
  ]);
});

test.each([
  [["-p"], "-p needs a prompt"],
  [["-p", "--permission-prompt-tool=me", "go"], "must be stdio or the tool of an MCP server"],
  [["-p", "--permission-prompt-tool=stdio", "go"], "needs --input-format stream-json"],
  [["-p", "--resume-session-at=none", "go"], "the session has no message none"],
  [["-p", "--agents={}}", "go"], "--agents must be JSON such as"],
])("%j is a usage error", async (args, sentence) => {
  const { code, out, err } = await box.run([...args]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(sentence);
});

test.skipIf(process.platform !== "linux")(
  "standard error names what is left running outside the sandbox",
  async () => {
    const line = "setsid -f sleep 61; (setsid sleep 61 &)";
    const flags = ["--permission-mode=bypass", "--output-format=json"];
    const { err } = await box.run(["-p", ...flags, `Run \`${line}\`.`]);
    expect(err).toContain("Still running, outside the sandbox: ");
    // Each is still the shell for a moment, then setsid, then sleep.
    const ids = [...err.matchAll(/\w \((\d+)\)/g)].map(([, id]) => Number(id));
    expect(ids).not.toEqual([]);
    await endProcesses(ids);
  },
);

test("standard error says which model answers, in which session, and what was wrong with its log", async () => {
  const first = await box.run(["-p", "who are you?"]);
  const [, session = ""] = /^mini-claude: offline, session (\S+)$/m.exec(first.err) ?? [];
  const [name = ""] = await Array.fromAsync(
    new Bun.Glob(`sessions/*/${session}.jsonl`).scan(box.home),
  );
  const file = Bun.file(join(box.home, name));
  await Bun.write(file, `${await file.text()}{"torn`);
  const resumed = await box.run(["-p", "--resume", session, "and now?"]);
  const [repair = "", line = ""] = resumed.err.split("\n");
  expect(repair).not.toBe("");
  expect(line).toBe(`mini-claude: offline, session ${session}`);
  const json = await box.run(["-p", "--output-format=json", "hi"]);
  expect(json.err).toBe("");
});

test("standard error says which settings are ignored, and which server cannot be started", async () => {
  const servers = JSON.stringify({ mcpServers: { broken: { command: "/no/such/program" } } });
  const flags = [`--settings=${JSON.stringify({ modle: "x" })}`, `--mcp-config=${servers}`];
  const { code, err } = await box.run(["-p", ...flags, "who are you?"]);
  expect(code).toBe(0);
  expect(err).toMatch(/^The flag --settings: unknown setting “modle”/m);
  expect(err).toMatch(/^MCP server broken: \S/m);
});

test("an error that nobody expected ends the run with a sentence", async () => {
  const child = spawnInProcess(started, [
    "--input-format=stream-json",
    "--output-format=stream-json",
    "--verbose",
  ]);
  const request = { subtype: "initialize" };
  child.stdin.write(`${JSON.stringify({ type: "control_request", request_id: "1", request })}\n`);
  // What has begun goes on: without its input by now, it would take that of the next run.
  await child.stdout.getReader().read();
  child.fail(new Error("planted"));
  expect([await child.exited, await child.stderr.text()]).toEqual([1, "mini-claude: planted\n"]);
});

test("a worktree is left only after the hooks of the session's end", async () => {
  const repository = inProcess(await sandbox("worktree"));
  const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: repository.project });
  git("init", "-q");
  git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first");
  const slow = { hooks: [{ type: "command", command: "sleep 0.2; touch by-the-hook" }] };
  const settings = JSON.stringify({ hooks: { SessionEnd: [slow] } });
  const { err } = await repository.run(["-p", "--settings", settings, "-w", "tree", "hi"]);
  const made = join(repository.project, ".mini-claude/worktrees/tree/by-the-hook");
  expect([err, existsSync(made)]).toEqual([expect.stringContaining("tree is kept"), true]);
  await repository.remove();
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s stops the turn, and the result and the code %d say so", async (signal, code) => {
  const flags = ["--offline", "--permission-mode=bypass", "--output-format=json", "--verbose"];
  const marker = join(started.root, signal);
  const child = spawnInProcess(started, ["-p", ...flags, `run \`touch ${marker}; sleep 58\``]);
  child.stdin.end();
  const out = child.stdout.text();
  while (!existsSync(marker)) await Bun.sleep(5);
  child.kill(signal);
  expect(await child.exited).toBe(code);
  expect(JSON.parse(await out).at(-1)).toMatchObject({ subtype: "error_during_execution" });
});

test("a signal while it starts ends it", async () => {
  const asked = Promise.withResolvers<void>();
  const silent = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch() {
      asked.resolve();
      return new Promise<Response>(() => {});
    },
  });
  const child = spawnInProcess(box, ["-p", "hello"], {
    env: { ANTHROPIC_BASE_URL: silent.url.href, ANTHROPIC_API_KEY: "sk-ant-test" },
  });
  child.stdin.end();
  await asked.promise;
  child.kill("SIGTERM");
  expect(await child.exited).toBe(143);
  silent.unref();
});

test("a signal ends a program whose reader reads no further, and whose progress is lost", async () => {
  const pipe = join(box.root, "unread");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  // Opened for reading, too, so that opening does not block although nobody reads.
  const unread = openSync(pipe, "r+");
  const own = await sandbox("unread");
  const find = async (ending: string) =>
    (
      await Array.fromAsync(
        new Bun.Glob(`.mini-claude/sessions/*/*.${ending}`).scan({
          cwd: join(own.root, "home"),
          dot: true,
        }),
      )
    ).length;
  const child = Bun.spawn([cli, "-p", "--offline", "--output-format", "events"], {
    cwd: own.project,
    env: own.env,
    stdin: new Blob(["what ".repeat(60_000)]),
    stdout: unread,
    stderr: existsSync("/dev/full") ? Bun.file("/dev/full") : "ignore",
  });
  // The session may be over between two looks: its log stays.
  while ((await find("jsonl")) === 0 || (await find("lock")) > 0) await Bun.sleep(10);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(143);
  closeSync(unread);
  await own.remove();
});

test("a folder to add that does not exist is named, and the session stays free", async () => {
  const own = await sandbox("no-folder");
  const { code, err } = await inProcess(own).run(["-p", "--add-dir", "/no/such", "hello"]);
  expect({ code, err }).toEqual({ code: 1, err: "mini-claude: There is no folder /no/such.\n" });
  expect(await Array.fromAsync(new Bun.Glob("sessions/*/*.lock").scan(own.home))).toEqual([]);
  await own.remove();
});
