/** The user's own line below the meter. */

import { expect, jest, onTestFinished, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { makeTheme } from "../../../../src/ui/theme.ts";
import { Builder, call } from "../../../context/build.ts";
import { makeReport } from "../../../facts.ts";
import { say } from "../../../fake-api/index.ts";
import { idle, programWithApi } from "../../program.ts";
import { key, stage } from "../../stage.ts";

const { on, api, env } = await programWithApi("status", "sk-secret-of-the-user");

test("a command of the settings gets the meter as JSON, has no keys, and its line is shown", async () => {
  const script = join(on.root, "status.sh");
  await Bun.write(
    script,
    `#!/bin/sh\ncat > "${on.root}/input.json"; env > "${on.root}/env.txt"\nprintf '\\033[32mhello\\033[0m \\033[2Jfrom me\\n'\n`,
  );
  await chmod(script, 0o755);
  const statusLine = { type: "command", command: script, padding: 0 };
  await Bun.write(join(on.root, "home", "settings.json"), JSON.stringify({ statusLine }));
  api.next(say("Answered."));
  const pty = await on.open({ env, quickMs: 300 });
  await pty.waitFor("hello from me");
  await pty.send("what is this?", (now) => now.includes("Answered.") && idle.test(now));
  await pty.waitFor(/ of 9.*\n +hello from me/);
  await pty.close();
  const input = await Bun.file(join(on.root, "input.json")).json();
  expect(input).toMatchObject({
    cwd: on.folder,
    workspace: { current_dir: on.folder, project_dir: on.folder },
    model: { id: "claude-sonnet-5-5", display_name: "Sonnet 5.5" },
    context_window: {
      used_percentage: expect.any(Number),
      remaining_percentage: expect.any(Number),
    },
    cost: { total_cost_usd: expect.any(Number) },
    permission_mode: "default",
    meter: { tokens: expect.any(Number), window_tokens: expect.any(Number) },
  });
  expect(input.transcript_path).toEndWith(`${input.session_id}.jsonl`);
  expect(await Bun.file(join(on.root, "env.txt")).text()).not.toContain("sk-secret");
});

test("it runs again when the meter changes, however slow it is, and not for a key or the clock", async () => {
  jest.useFakeTimers();
  onTestFinished(() => void jest.useRealTimers());
  const inputs: unknown[] = [];
  const on = stage(new Builder(), {
    services: {
      statusLine: async (input) => {
        on.wait(1_000);
        return [`run ${inputs.push(input)}`];
      },
    },
  });
  const later = async (): Promise<string> => {
    on.rows(80, 24);
    jest.advanceTimersByTime(300);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    return Bun.stripANSI(on.rows(80, 24).at(-1) ?? "").trim();
  };
  expect(await later()).toBe("run 1");
  on.controller.press(key("t", "t"));
  for (let count = 0; count < 5; count++) expect(await later()).toBe("run 1");
  on.store.take({ type: "mode", mode: "plan" });
  expect(await later()).toBe("run 2");
  expect(inputs[1]).toMatchObject({ permission_mode: "plan" });
});

test("it is told the time in calls, the tokens written and the lines changed", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const on = new Builder();
  on.user("edit it");
  const usage = { input: 3, cacheRead: 0, cacheWrite: 0, output: 25 };
  on.answer([call("e", "Edit", { file_path: "/w/a.ts" })], { usage });
  const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@\n same\n-old\n+new\n+more\n";
  on.add(makeReport({ toolUse: "e", tool: "Edit", diff }));
  const statusLine = async (input: unknown): Promise<string[]> => {
    resolve(input);
    return [];
  };
  const staged = stage(on, { services: { statusLine } });
  staged.rows(80, 24);
  expect(await promise).toMatchObject({
    cost: { total_api_duration_ms: 1_000, total_lines_added: 2, total_lines_removed: 1 },
    context_window: { total_output_tokens: 25 },
  });
});

test("of what it prints, colors are kept and nothing else", async () => {
  const printed = [
    "\x1b[31mred\x1b[0m \x1b[38;2;1;2;3mrgb \x1b[5mblinks\x1b[8mhides",
    "\x1b[2J\x1b[1;1Hmoved\x1b]0;title\x07",
  ];
  for (const name of ["dark", "none"] as const) {
    const drawn = Promise.withResolvers<void>();
    const statusLine = async (): Promise<string[]> => printed;
    const on = stage(new Builder(), { theme: makeTheme(name, 256), services: { statusLine } });
    on.store.subscribe(drawn.resolve);
    on.rows(80, 24);
    await drawn.promise;
    const [line = "", moved = ""] = on.rows(80, 24).slice(-2);
    expect(Bun.stripANSI(line)).toContain("red rgb blinkshides");
    expect(Bun.stripANSI(moved).trim()).toBe("moved");
    for (const color of ["\x1b[31m", "\x1b[38;2;1;2;3m"])
      expect(line.includes(color)).toBe(name === "dark");
    for (const code of ["\x1b[5m", "\x1b[8m", "\x1b[2J", "\x1b]"])
      expect(line + moved).not.toContain(code);
  }
});
