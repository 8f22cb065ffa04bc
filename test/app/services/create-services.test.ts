/** What the screen gets from the disk, the log and the run, in this process. */

import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServices } from "../../../src/app/services/create-services.ts";
import { parseFlags } from "../../../src/config/flags.ts";
import { createLog } from "../../../src/log/store.ts";
import type { AgentCommand } from "../../../src/protocol/command.ts";
import { openRun, startForProgram, type OpenRun } from "../../../src/run/open-run.ts";
import { call, say, startFakeApi, type Answer } from "../../fake-api/index.ts";
import { stdioServer } from "../../extensions/mcp/open-hub.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "services-")));
const api = startFakeApi();
afterAll(async () => {
  await api.stop();
  rmSync(base, { recursive: true });
});

let home = "";
let cwd = "";
beforeEach(() => {
  home = mkdtempSync(join(base, "home-"));
  cwd = join(home, "work/project");
  mkdirSync(cwd, { recursive: true });
});

async function open(args: string[] = [], answers: Answer[] = []) {
  api.next(...answers);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    MINI_CLAUDE_HOME: join(home, ".mini-claude"),
    ANTHROPIC_API_KEY: "sk-ant-test",
    ANTHROPIC_BASE_URL: api.url,
  };
  const start = await startForProgram(parseFlags(args), env, cwd);
  const opened = await openRun(start);
  return { ...opened, services: createServices(start, opened.log, opened.run) };
}

async function turn({ send, events }: OpenRun, command: AgentCommand): Promise<void> {
  send(command);
  for (;;) {
    const { value, done } = await events.next();
    if (done || value.type === "idle") return;
  }
}
const ignored = (): void => undefined;
const prompt = (text: string): AgentCommand => ({
  type: "prompt",
  content: [{ type: "text", text }],
});

test("files are those of the folder, without hidden ones", async () => {
  for (const name of ["docs/guide.md", "main.ts", ".hidden/guide.md"])
    await Bun.write(join(cwd, name), "");
  const opened = await open();
  await (
    await opened.services.files("guide")
  ).rest;
  const { paths } = await opened.services.files("guide");
  expect(paths).toEqual(["docs/guide.md"]);
  expect(opened.services.mcp).toBeUndefined();
  await opened.close();
});

test("resources of servers come before files", async () => {
  await Bun.write(join(cwd, "note.md"), "");
  const servers = JSON.stringify({ mcpServers: { small: stdioServer() } });
  const opened = await open(["--mcp-config", servers]);
  opened.run.mcp?.start();
  await opened.run.mcp?.settled(20_000);
  await (
    await opened.services.files("note")
  ).rest;
  const { paths: found } = await opened.services.files("note");
  expect(found[0]).toStartWith("small:note://");
  expect(found.at(-1)).toBe("note.md");
  expect(opened.services.mcp?.servers()).toMatchObject([{ name: "small", state: "connected" }]);
  await opened.close();
});

test("prompts are remembered, and settings stored", async () => {
  const opened = await open();
  const { services } = opened;
  expect(await services.loadHistory()).toEqual([]);
  await services.saveHistory("one");
  await services.saveHistory("two");
  expect(await services.loadHistory()).toEqual(["one", "two"]);
  await services.saveSetting?.("theme", "light");
  const settings = readFileSync(join(home, ".mini-claude/settings.json"), "utf8");
  expect(JSON.parse(settings)).toEqual({ theme: "light" });
  await opened.close();
});

test("a rewind is previewed, and earlier messages are found by search", async () => {
  const opened = await open(
    ["--permission-mode=accept-edits"],
    [{ content: [call("Write", { file_path: "made.txt", content: "x" })] }, say("Done.")],
  );
  await turn(opened, prompt("make the walrus"));
  const { services } = opened;
  expect(await services.previewRewind?.(null)).toEqual([expect.stringContaining("made.txt")]);
  expect((await services.previewRewind?.(null))?.[0]).not.toContain(cwd);
  expect(await services.previewRewind?.(opened.log.head)).toEqual([]);
  const found = await services.recall?.("walrus", "session", ignored);
  expect(found).toMatchObject([{ entry: { type: "user" }, session: null }]);
  expect(await services.recall?.("walrus", "project", ignored)).toEqual([]);
  const asked = opened.log.path.find(({ type }) => type === "user");
  expect(asked && (await services.openOriginal(asked)).lines).toBe(1);
  await opened.close();
});

test("instructions are named from the folder, and those of the home folder with a ~", async () => {
  await Bun.write(join(cwd, "AGENTS.md"), "Use tabs.");
  await Bun.write(join(home, ".claude/CLAUDE.md"), "Be brief.");
  const opened = await open(["--trust"]);
  const { services } = opened;
  expect(await services.instructions?.()).toEqual(["~/.claude/CLAUDE.md", "AGENTS.md"]);
  const files = await services.memoryFiles?.();
  expect(files?.slice(2)).toEqual([
    { name: "Instructions", path: join(home, ".claude/CLAUDE.md"), bytes: 9 },
    { name: "Instructions", path: join(cwd, "AGENTS.md"), bytes: 9 },
  ]);
  await opened.close();
});

test("git is asked only in a trusted folder", async () => {
  const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd });
  git("init", "-q", "-b", "trunk");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x");
  const trusting = await open(["--trust"]);
  expect(await trusting.services.gitState?.()).toMatchObject({ branch: "trunk" });
  await trusting.close();
  rmSync(join(home, ".mini-claude"), { recursive: true });
  const wary = await open();
  expect(await wary.services.gitState?.()).toBeNull();
  await wary.close();
});

test("sessions of this folder and of all, but not those of subagents", async () => {
  const opened = await open(
    [],
    [
      { content: [call("Agent", { description: "Look", prompt: "Look around" })] },
      say("Seen."),
      say("Done."),
    ],
  );
  expect(await opened.services.latestSession?.()).toBeNull();
  await turn(opened, prompt("look"));
  const { services, log } = opened;
  const own = { session: log.session, title: "look" };
  const list = await services.sessions?.("here");
  expect(list).toMatchObject([own]);
  expect(Date.parse(list?.[0]?.at ?? "")).toBe(Math.floor(statSync(log.file).mtimeMs));
  expect(await services.latestSession?.()).toMatchObject({ ...own, turns: 1 });
  const elsewhere = createLog(join(home, ".mini-claude/sessions/other"), "elsewhere");
  for (const entry of log.path) {
    const { id: _id, parent: _parent, at: _at, ...fact } = entry;
    await elsewhere.append(fact);
  }
  await elsewhere.close();
  expect(await services.sessions?.("here")).toHaveLength(1);
  const everywhere = await services.sessions?.("everywhere");
  expect(everywhere?.map(({ session }) => session).toSorted()).toEqual(
    [log.session, "elsewhere"].toSorted(),
  );
  await opened.close();
});

test("a session is exported under its own name, or another", async () => {
  const opened = await open([], [say("Hello.")]);
  await turn(opened, prompt("hi"));
  const { services, log } = opened;
  const file = await services.exportSession?.("", ignored);
  expect(file).toEndWith(join(".mini-claude", "exports", `${log.session}.md`));
  expect(readFileSync(file ?? "", "utf8")).toContain("Hello.");
  expect(await services.exportSession?.("page.html", ignored)).toBe(join(cwd, "page.html"));
  await opened.close();
});

test("its cost, and background commands", async () => {
  const opened = await open(
    ["--permission-mode=bypass"],
    [
      { content: [call("Bash", { command: "sleep 60", run_in_background: true })] },
      say("It runs."),
    ],
  );
  await turn(opened, prompt("hi"));
  const { services, run } = opened;
  const counted: number[] = [];
  const usage = await services.usage?.((done) => counted.push(done), new AbortController().signal);
  expect(usage?.sessions).toBe(1);
  expect(usage?.rows.at(-1)).toMatchObject({ name: "All sessions", calls: 2 });
  expect(counted.length).toBeGreaterThan(0);
  const [shell] = (await services.background?.list()) ?? [];
  expect(shell).toMatchObject({ command: "sleep 60" });
  let changes = 0;
  const unwatch = services.background?.watch(() => void changes++);
  if (shell) {
    expect((await services.background?.open(shell))?.lines).toBeDefined();
    expect(await services.background?.stop(shell.id)).toStartWith("Killed ");
  }
  expect(changes).toBeGreaterThan(0);
  unwatch?.();
  expect(await services.hooks?.()).toEqual(await run.hooks.list());
  expect(await services.commands?.()).toEqual(await run.commands());
  await opened.close();
});
