/** `mini-claude doctor`, by the real program. */

import { afterAll, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sandbox } from "../../bin.ts";
import { inProcess } from "../../in-process.ts";

const box = inProcess(await sandbox("doctor"));
afterAll(box.remove);

test("a machine without a key works, with a warning", async () => {
  const { code, out, err } = await box.run(["doctor"]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^mini-claude \d/);
  expect(out).toContain("output is not a terminal");
  expect(out).toContain("only the built-in offline model");
  expect(out).toMatch(/^ok +Bun +1\./m);
  expect(out).toMatch(/^ok +ripgrep +\//m);
});

test("hooks of settings that cannot run are warnings", async () => {
  const own = inProcess(await sandbox("doctor-hooks"));
  const hooks = { PreTool: [], Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
  await mkdir(join(own.root, "home", ".claude"), { recursive: true });
  await writeFile(join(own.root, "home", ".claude", "settings.json"), JSON.stringify({ hooks }));
  const { code, out } = await own.run(["doctor"]);
  await own.remove();
  expect(code).toBe(0);
  expect(out).toMatch(/^ok +Hooks +1 command/m);
  expect(out).toMatch(/^warning +Hooks .*there is no hook event “PreTool”/m);
});

test("settings with errors and a bad address are problems; keys are never shown", async () => {
  await mkdir(box.home, { recursive: true });
  await writeFile(join(box.home, "settings.json"), '{"theme": "pink", "modle": "x"}');
  const env = {
    ANTHROPIC_API_KEY: "sk-ant-secret",
    ANTHROPIC_BASE_URL: "https://user:password@gateway.example/api/",
  };
  const { code, out, err } = await box.run(["doctor"], { env });
  expect([code, err]).toEqual([1, ""]);
  expect(out).toContain("“theme” must be one of auto");
  expect(out).toContain("unknown setting “modle”; did you mean “model”?");
  expect(out).toContain(
    "claude-sonnet-5-5 at https://gateway.example/api, key in ANTHROPIC_API_KEY",
  );
  expect(out).not.toContain("sk-ant-secret");
  expect(out).not.toContain("password");
  const bad = await box.run(["doctor"], { env: { OPENAI_BASE_URL: "localhost:1" } });
  expect(bad.code).toBe(1);
  expect(bad.out).toMatch(/^problem +Model +OPENAI_BASE_URL/m);
});

test("on a terminal it names it", async () => {
  const on = inProcess(await sandbox("doctor-on"), { isTerminal: true });
  const { out } = await on.run(["doctor"]);
  await on.remove();
  expect(out).toMatch(/^ok +Terminal +.*, \d+x\d+/m);
});
