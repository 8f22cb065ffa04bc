/** What the screen gets from the disk, the log and the run, in this process. */

import { afterAll, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { savedSession } from "../../saved-session.ts";
import { call, say, startFakeApi, type Answer } from "../../fake-api/index.ts";
import { prompt, turn } from "../../run/opened.ts";
import { folders, openServices } from "./open.ts";

const newFolders = folders("services");
const api = startFakeApi();
afterAll(() => api.stop());

let home = "";
let cwd = "";
beforeEach(() => {
  ({ home, cwd } = newFolders());
});

async function open(args: string[] = [], answers: Answer[] = []) {
  api.next(...answers);
  const env = { ANTHROPIC_API_KEY: "sk-ant-test", ANTHROPIC_BASE_URL: api.url };
  return openServices({ home, cwd, args, env });
}

test("settings are stored, a rewind is previewed, and earlier messages are found by search", async () => {
  const opened = await open(
    ["--permission-mode=accept-edits"],
    [{ content: [call("Write", { file_path: "made.txt", content: "x" })] }, say("Done.")],
  );
  await turn(opened, prompt("make the walrus"));
  const { services } = opened;
  await services.saveSetting?.("theme", "light");
  const settings = Bun.file(join(home, ".mini-claude/settings.json"));
  expect(await settings.json()).toEqual({ theme: "light" });
  expect(await services.previewRewind?.(null)).toEqual(["Delete  made.txt"]);
  expect(await services.previewRewind?.(opened.log.head)).toEqual([]);
  const found = await services.recall?.("walrus", "session");
  expect(found).toMatchObject([{ entry: { type: "user" }, session: null }]);
  expect(await services.recall?.("walrus", "project")).toEqual([]);
  const asked = opened.log.path.find(({ type }) => type === "user");
  expect(asked && (await services.openOriginal(asked)).lines).toBe(1);
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
  await savedSession({ projectSessions: join(home, ".mini-claude/sessions/other") }, "elsewhere");
  expect(await services.sessions?.("here")).toHaveLength(1);
  const everywhere = await services.sessions?.("everywhere");
  expect(everywhere?.map(({ session }) => session).toSorted()).toEqual(
    [log.session, "elsewhere"].toSorted(),
  );
});

test("a new folder has the sessions of the one it was before: beside it, or of its name", async () => {
  const save = (session: string, folder: string) => {
    const projectSessions = join(home, ".mini-claude/sessions", session);
    return savedSession({ projectSessions }, session, "hi", { cwd: folder });
  };
  await save("beside", join(dirname(cwd), "gone"));
  await save("named", join("/nowhere", basename(cwd)));
  await save("other", "/nowhere/other");
  const { services } = await open();
  const before = (await services.sessions?.("here"))?.map(({ session }) => session).toSorted();
  expect(before).toEqual(["beside", "named"]);
  expect(await services.latestSession?.()).toMatchObject({ turns: null });
});

test("a session is exported under its own name, or another, once it holds something", async () => {
  const opened = await open([], [say("Hello.")]);
  const { services, log } = opened;
  await expect(services.exportSession?.("")).rejects.toThrow("nothing to export yet");
  expect(existsSync(join(home, ".mini-claude/exports"))).toBe(false);
  await turn(opened, prompt("hi"));
  const file = await services.exportSession?.("");
  expect(file).toEndWith(join(".mini-claude", "exports", `${log.session}.md`));
  expect(readFileSync(file ?? "", "utf8")).toContain("Hello.");
  expect(await services.exportSession?.("page.html")).toBe(join(cwd, "page.html"));
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
  const usage = await services.usage?.(new AbortController().signal);
  expect(usage?.sessions).toBe(1);
  expect(usage?.rows.at(-1)).toMatchObject({ name: "All sessions", calls: 2 });
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
});
