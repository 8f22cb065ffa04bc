/** Slash commands that reach the disk or the agent, in the real program. */

import { expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { call, say } from "../fake-api/index.ts";
import { idle, programWithApi } from "./program.ts";

const { on, api, env } = await programWithApi("commands");

test("/init has the agent write AGENTS.md; /cost and /export report the session", async () => {
  const file = join(on.folder, "AGENTS.md");
  const input = { file_path: file, content: "# Commands\n\nRun make.\n" };
  api.next({ content: [call("Write", input)] }, say("Written."));
  const pty = await on.open({ env, cols: 200, rows: 70 });
  await pty.send("/init", "Allow once (y)");
  await pty.press("tab");
  await pty.type("y");
  await pty.waitFor((now) => now.includes("Written.") && idle.test(now));
  expect(await Bun.file(file).text()).toBe(input.content);

  const usage = await pty.send("/cost", "This project");
  for (const name of ["Today", "Last 7 days", "Last 30 days", "This project", "All sessions"])
    expect(usage).toMatch(new RegExp(`${name} +2 .*\\$\\d`));
  await pty.hit("escape", (now) => !now.includes("This project"));

  await pty.send("/export talk.md", /Exported to \S+\/commands\/talk\.md/);
  const exported = join(on.folder, "talk.md");
  expect(await Bun.file(exported).text()).toContain("Run make.");
  expect((await stat(exported)).mode & 0o777).toBe(0o600);
  await pty.send("/export talk.md", "talk.md exists already.");
  await pty.send("/export talk.pdf", "talk.pdf must end in .md, .html or .jsonl.");
});

test("/settings changes a setting of the running program and of later ones, and so does /theme", async () => {
  const pty = await on.open({ args: ["--offline"] });
  await pty.send("/settings", "Model used for answers.");
  await pty.type("vim");
  await pty.waitFor(/Vim keys in the prompt .*false/);
  await pty.hit("enter", /Vim keys in the prompt .*true/);
  await pty.hit("escape", "INSERT");
  const saved = await Bun.file(join(on.root, "home", "settings.json")).json();
  expect(saved).toEqual({ vim: true });
  await pty.type("/theme light");
  await pty.waitFor("❯ /theme light");
  await pty.hit("enter", idle);
  await pty.send("/theme", "● light");
});
