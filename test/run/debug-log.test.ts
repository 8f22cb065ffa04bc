/** `--debug` and `MINI_CLAUDE_DEBUG`, by the real program. */

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";
import { say, startFakeApi } from "../fake-api/index.ts";

const box = inProcess(await sandbox("debug"));
afterAll(box.remove);
const folder = join(box.home, "debug");

test("without it nothing is written", async () => {
  for (const value of ["", "0", "NO"]) {
    const env = { MINI_CLAUDE_DEBUG: value };
    const { code, err } = await box.run(["-p", "what can you do?"], { env });
    expect([code, err.includes("Debug log")]).toEqual([0, false]);
  }
  expect(existsSync(folder)).toBe(false);
});

test.each([
  [["--debug"], "0"],
  [[], "YES"],
])("%p, with MINI_CLAUDE_DEBUG=%p, writes a private log and says where", async (flags, value) => {
  const env = { MINI_CLAUDE_DEBUG: value };
  const { code, err } = await box.run(["-p", ...flags, "what can you do?"], { env });
  expect(code).toBe(0);
  const file = /^Debug log: (.+)$/m.exec(err)?.[1] ?? "";
  expect(file).toStartWith(`${folder}/`);
  expect([folder, file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  const text = await readFile(file, "utf8");
  for (const line of text.trim().split("\n"))
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z {2}[a-z]+ +\S/);
  expect(text).toMatch(/start +mini-claude \d/);
});

test("--debug-file names the file; requests are in it, keys are not", async () => {
  const api = startFakeApi();
  api.next(say("Hello."));
  const keys = { ANTHROPIC_API_KEY: "sk-ant-very-secret", MY_TOKEN: "8 chars." };
  const env = { ...keys, MY_TOKEN: `${keys.MY_TOKEN}\n`, ANTHROPIC_BASE_URL: api.url };
  const cwd = join(box.root, Object.values(keys).join());
  mkdirSync(cwd);
  const file = join(box.root, "here.log");
  writeFileSync(file, "before\n", { mode: 0o644 });
  const run = await box.run(["-p", "--debug-file=../here.log", "hi"], { env, cwd });
  expect(run).toMatchObject({ code: 0, out: "Hello.\n" });
  expect(run.err).toContain(`Debug log: ${file}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = await readFile(file, "utf8");
  expect(text).toStartWith("before\n20");
  expect(text).toMatch(
    /http {6}(POST http:\S+\/v1\/messages)\n[^]*\1: 200 after [\d,]+ ms, request id (?!none)\S/,
  );
  expect(text).toContain("[secret]");
  for (const key of Object.values(keys)) expect(text).not.toContain(key);
  await api.stop();
});

test("of an address, passwords and queries are hidden; a failure is written, on one line", async () => {
  const cwd = join(box.root, "one\ntwo");
  mkdirSync(cwd);
  const server = Bun.serve({ port: 0, fetch: () => new Response("gone", { status: 404 }) });
  const { port } = server;
  const logged = async (address: string): Promise<string> => {
    const file = join(box.root, crypto.randomUUID());
    const args = ["-p", "--provider", "openai", "--base-url", address, "--debug-file", file, "hi"];
    await box.run(args, { cwd });
    return readFile(file, "utf8");
  };
  const text = await logged(`http://user:pass@127.0.0.1:${port}/v1?key=k`);
  expect(text).toContain(`POST http://127.0.0.1:${port}/v1/chat/completions`);
  expect(text).not.toMatch(/user|pass|key=k/);
  expect(text.split("\n")[0]).toEndWith("one two");
  await server.stop(true);
  const failed = await logged(`http://127.0.0.1:${port}/v1`);
  expect(failed).toMatch(/POST .*completions: failed after [\d,]+ ms: \S/);
});

test("a full disk stops no run; a log that cannot be opened ends startup with the reason", async () => {
  const run = (file: string) => box.run(["-p", `--debug-file=${file}`, "what can you do?"]);
  expect((await run("/dev/full")).code).toBe(0);
  const { code, err } = await run(".");
  expect(code).toBe(1);
  expect(err).toMatch(/^mini-claude: The debug log .* cannot be opened: .*\n$/);
});
