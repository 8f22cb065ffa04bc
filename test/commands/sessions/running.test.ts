/** Sessions that run, seen, watched and stopped from another terminal. */

import { afterAll, expect, test } from "bun:test";
import { pathsFor } from "../../../src/config/paths.ts";
import { createLog } from "../../../src/log/store.ts";
import type { SessionFact } from "../../../src/protocol/entry.ts";
import { sandbox } from "../../bin.ts";
import { inProcess } from "../../in-process.ts";
import { program } from "../../ui/program.ts";

const real = await sandbox("running");
/** For what another process runs: its own sessions a process does not list. */
const box = inProcess(real);
const on = await program("running-on");
afterAll(() => Promise.all([on.remove(), real.remove()]));

test("a session of another process is seen, watched and stopped", async () => {
  const sessions = async (...args: string[]): Promise<string> => {
    const { out, err, code } = await box.run(["sessions", ...args]);
    expect([code, err]).toEqual([0, ""]);
    return out;
  };
  expect(await sessions("running")).toBe("Nothing is running.\n");
  // Where commands are not confined, this one would ask.
  const allowed = ["--allowedTools", "Bash(sleep:*)"];
  const args = ["-p", "--offline", ...allowed, "run the command `sleep 600`"];
  const busy = real.spawn(args, { stdin: "ignore" });
  let list = "";
  while (!list.includes("in Bash sleep 600")) list = await sessions("running");
  expect(list).toContain(real.project);
  const [name = ""] = list.split(" ");
  expect(await sessions("stop", name)).toBe(`Stopped ${name}.\n`);
  await busy.exited;
  expect(await sessions("running")).toBe("Nothing is running.\n");
});

test("a session on the screen waits for its user", async () => {
  const screen = await on.open({ args: ["--offline"], env: { MINI_CLAUDE_HOME: real.home } });
  await screen.send("where is the till?", (shown) => /till\?[^]*❯ Ask/.test(shown));
  const { out } = await real.run(["sessions", "running"]);
  expect(out).toContain("waiting for you");
  expect(out).toContain(on.folder);
  await screen.press("ctrl+d");
  await screen.exited;
});

test("a subagent is below its session and is not stopped alone; a closed session cannot be stopped", async () => {
  const { projectSessions } = pathsFor(real.env, real.project);
  const fact = (session: string): SessionFact => ({
    type: "session",
    version: 1,
    session,
    cwd: "/w",
    model: "m",
    system: "",
    tools: [],
  });
  const parent = createLog(projectSessions, "20260101-a");
  await parent.append(fact("20260101-a"));
  const startedBy = { session: "20260101-a", toolUse: "t", type: "general" };
  const child = createLog(projectSessions, "20260101-b");
  await child.append({ ...fact("20260101-b"), startedBy });
  const { out } = await real.run(["sessions", "running"]);
  expect(out).toMatch(/^20260101-a {2}process \d+ {2}not started.*\n {2}20260101-b/);
  expect(await real.run(["sessions", "stop", "20260101-b"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("is a subagent of 20260101-a; stop that one."),
  });
  await Promise.all([parent.close(), child.close()]);
  expect(await real.run(["sessions", "stop", "20260101-a"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("is not running"),
  });
});
