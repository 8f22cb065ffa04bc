/** Slash commands that reach the disk or the agent, in the real program. */

import { afterAll, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { call, say, startFakeApi } from "../fake-api/index.ts";
import { idle, program } from "./program.ts";

const on = await program("commands");
const api = startFakeApi();
const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test" };
afterAll(async () => {
  await on.remove();
  await api.stop();
});

test("/init has the agent write AGENTS.md; /cost and /export report the session", async () => {
  const file = join(on.folder, "AGENTS.md");
  const input = { file_path: file, content: "# Commands\n\nRun make.\n" };
  api.next({ content: [call("Write", input)] }, say("Written."));
  const pty = await on.open({ env, rows: 70 });
  await pty.type("/init\r");
  await pty.waitFor("Allow once");
  await pty.press("tab");
  await pty.type("y");
  await pty.waitFor((now) => now.includes("Written.") && idle.test(now));
  expect(await Bun.file(file).text()).toBe(input.content);

  await pty.type("/cost\r");
  const usage = await pty.waitFor("This project");
  for (const name of ["Today", "Last 7 days", "Last 30 days", "This project", "All sessions"])
    expect(usage).toMatch(new RegExp(`${name} +2 .*\\$\\d`));
  await pty.press("escape");
  await pty.waitFor((now) => !now.includes("This project"));

  await pty.type("/export talk.md\r");
  await pty.waitFor(/Exported to ~\/commands\/talk\.md/);
  const exported = join(on.folder, "talk.md");
  expect(await Bun.file(exported).text()).toContain("Run make.");
  expect((await stat(exported)).mode & 0o777).toBe(0o600);
  await pty.type("/export talk.md\r");
  await pty.waitFor("talk.md exists already.");
  await pty.type("/export talk.pdf\r");
  await pty.waitFor("talk.pdf must end in .md, .html or .jsonl.");
  await pty.close();
});

test("/init without a language model says what is missing", async () => {
  const pty = await on.open({ args: ["--offline"] });
  await pty.type("/init\r");
  await pty.waitFor("/init needs a language model");
  await pty.close();
});

test("/settings changes a setting of the running program and of later ones", async () => {
  const pty = await on.open({ args: ["--offline"] });
  await pty.type("/settings\r");
  await pty.waitFor("Model used for answers.");
  await pty.type("vim");
  await pty.waitFor(/Vim keys in the prompt .*false/);
  await pty.press("enter");
  await pty.waitFor(/Vim keys in the prompt .*true/);
  await pty.press("escape");
  await pty.waitFor("INSERT");
  await pty.close();
  const saved = await Bun.file(join(on.root, "home", "settings.json")).json();
  expect(saved).toEqual({ vim: true });
});

test("/theme takes its argument", async () => {
  const pty = await on.open({ args: ["--offline"] });
  await pty.type("/theme light");
  await pty.waitFor("❯ /theme light");
  await pty.press("enter");
  await pty.waitFor(idle);
  await pty.type("/theme\r");
  await pty.waitFor("● light");
  await pty.close();
});
