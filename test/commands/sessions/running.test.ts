/** Sessions that run, seen, watched and stopped from another terminal. */

import { afterAll, expect, test } from "bun:test";
import { pathsFor } from "../../../src/config/paths.ts";
import { createLog } from "../../../src/log/store.ts";
import type { SessionFact } from "../../../src/protocol/entry.ts";
import { sandbox } from "../../bin.ts";
import { program } from "../../ui/program.ts";

const box = await sandbox("running");
const on = await program("running-on");
afterAll(() => Promise.all([on.remove(), box.remove()]));

test("sessions on the screen and without it are seen, watched and stopped from elsewhere", async () => {
  const sessions = async (...args: string[]): Promise<string> => {
    const { out, err, code } = await box.run(["sessions", ...args]);
    expect([code, err]).toEqual([0, ""]);
    return out;
  };
  expect(await sessions("running")).toBe("Nothing is running.\n");
  const screen = await on.open({ args: ["--offline"], env: { MINI_CLAUDE_HOME: box.home } });
  await screen.type("where is the till?\r");
  // Where commands are not confined, this one would ask.
  const allowed = ["--allowedTools", "Bash(sleep:*)"];
  const args = ["-p", "--offline", ...allowed, "run the command `sleep 600`"];
  const busy = box.spawn(args, { stdin: "ignore" });
  const list = async (): Promise<string[]> =>
    (await sessions("running")).split("\n").filter((line) => line !== "");
  const wait = async (words: string): Promise<string> => {
    for (;;) {
      const line = (await list()).find((each) => each.includes(words));
      if (line !== undefined) return line;
    }
  };
  expect(await wait("waiting for you")).toContain(on.folder);
  const line = await wait("in Bash sleep 600");
  expect(line).toContain(box.project);
  const [name = ""] = line.split(" ");
  expect(await sessions("stop", name)).toBe(`Stopped ${name}.\n`);
  await busy.exited;
  expect(await list()).toHaveLength(1);
  await screen.press("ctrl+d");
  await screen.exited;
  expect(await sessions("running")).toBe("Nothing is running.\n");
});

test("a subagent is below its session and is not stopped alone; a closed session cannot be stopped", async () => {
  const { projectSessions } = pathsFor(box.env, box.project);
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
  const { out } = await box.run(["sessions", "running"]);
  expect(out).toMatch(/^20260101-a {2}process \d+ {2}not started.*\n {2}20260101-b/);
  expect(await box.run(["sessions", "stop", "20260101-b"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("is a subagent of 20260101-a; stop that one."),
  });
  await Promise.all([parent.close(), child.close()]);
  expect(await box.run(["sessions", "stop", "20260101-a"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("is not running"),
  });
});
