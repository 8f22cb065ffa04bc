/** What a run starts from. */

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openedRuns } from "./opened.ts";

const runs = openedRuns("start");
const { start: load } = runs;

const settings = (content: object) =>
  runs.write({ "user/.mini-claude/settings.json": JSON.stringify(content) });

test("only the flag asks for a model; settings and variables name the one of new sessions", async () => {
  await settings({ model: "of-the-file" });
  const bySetting = await load([]);
  expect(bySetting.settings.model).toBe("of-the-file");
  expect(bySetting.requestedModel).toBeUndefined();
  expect((await load(["--setting-sources=project"])).settings.model).not.toBe("of-the-file");
  const byVariable = await load([], { ANTHROPIC_MODEL: "of-the-variable" });
  expect(byVariable.settings.model).toBe("of-the-variable");
  expect(byVariable.requestedModel).toBeUndefined();
  expect((await load(["--model=of-the-flag"])).requestedModel).toBe("of-the-flag");
});

test("flags without effect, problems, the debug log and unused files of the folder are reported", async () => {
  expect((await load([])).notices).toEqual([]);
  await settings({ model: 7 });
  await runs.write({ "project/.claude/commands/go.md": "Go." });
  const file = join(runs.cwd, "debug.log");
  const start = await load([`--debug-file=${file}`, "--allow-dangerously-skip-permissions"]);
  expect(start.notices).toEqual([
    "--allow-dangerously-skip-permissions has no effect here.",
    expect.stringContaining("settings.json"),
    `Debug log: ${file}`,
    expect.stringContaining(".claude/commands"),
  ]);
  expect(start.project).toMatchObject({ isTrusted: false, folder: runs.cwd });
  expect(existsSync(file)).toBe(true);
  expect(start.debugLog?.file).toBe(file);
});

test("variables of the network in the settings come too late, which is said", async () => {
  const env = { HTTPS_PROXY: "http://proxy:1", NODE_EXTRA_CA_CERTS: "/ca.pem", OTHER: "1" };
  await settings({ env });
  expect((await load([])).notices).toEqual([
    expect.stringContaining("HTTPS_PROXY and NODE_EXTRA_CA_CERTS in `env` of the settings"),
  ]);
  expect((await load([], env)).notices).toEqual([]);
});

test("the limits of a model are those of the settings, where they are set", async () => {
  const findRules = async (limits: object, provider: string) => {
    const args = [`--provider=${provider}`, "--model=m", "--settings", JSON.stringify(limits)];
    const env = { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
    const { run, close } = await runs.open(args, [], { env });
    await close();
    return run.rules;
  };
  const limits = { windowTokens: 12_345, outputTokens: 678 };
  expect(await findRules(limits, "openai")).toMatchObject(limits);
  expect((await findRules({}, "openai")).windowTokens).not.toBe(12_345);
  expect(await findRules({}, "offline")).toMatchObject({ windowTokens: 32_000 });
  expect(await findRules({ windowTokens: 9_000 }, "offline")).toMatchObject({
    windowTokens: 9_000,
  });
});

test("variables of the settings are those of the run, and set settings themselves", async () => {
  await settings({ env: { EDITION: "first", KEPT: "yes" } });
  const env = { EDITION: "second", ANTHROPIC_MODEL: "of-the-settings", DISABLE_COMPACT: "1" };
  const start = await load(["--settings", JSON.stringify({ env })], { EDITION: "outer" });
  expect(start.env).toMatchObject({ EDITION: "second", KEPT: "yes", HOME: runs.user });
  expect(start.settings.model).toBe("of-the-settings");
  expect(start.settings.compaction).toBe("off");
  expect(start.notices).toEqual([]);
  const one = ["--setting-sources=project", "--settings", '{"env": {"MINI_CLAUDE_MODLE": "x"}}'];
  const wrong = await load(one);
  expect(wrong.notices).toEqual([expect.stringContaining("MINI_CLAUDE_MODEL")]);
});
