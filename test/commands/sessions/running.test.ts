/** Sessions of two terminals, seen, watched and stopped from a third. */

import { afterAll, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pathsFor } from "../../../src/config/paths.ts";
import { createLog } from "../../../src/log/store.ts";
import type { SessionFact } from "../../../src/protocol/entry.ts";
import { cli, sandbox } from "../../bin.ts";
import { program } from "../../ui/program.ts";

const on = await program("running");
const box = await sandbox("running-alone");
afterAll(() => Promise.all([on.remove(), box.remove()]));

async function run(args: readonly string[]) {
  const child = Bun.spawn([cli, ...args], {
    cwd: "/",
    env: on.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { out, err, code };
}

async function sessions(...args: string[]): Promise<string> {
  const { out, err, code } = await run(["sessions", ...args]);
  expect([code, err]).toEqual([0, ""]);
  return out;
}

test("two sessions in two terminals are seen, watched and stopped from a third", async () => {
  expect(await sessions("running")).toBe("Nothing is running.\n");
  const other = join(on.root, "other");
  await mkdir(other);
  const first = await on.open({ args: ["--offline"] });
  // Where commands are not confined, this one would ask.
  const allowed = ["--allowedTools", "Bash(sleep:*)"];
  const second = await on.open({ args: ["--offline", ...allowed], cwd: other });
  await first.type("where is the till?\r");
  await second.type("run the command `sleep 600`\r");
  const list = async (): Promise<string[]> =>
    (await sessions("running")).split("\n").filter((line) => line !== "");
  while (!(await list()).some((line) => line.includes("waiting for you"))) continue;
  while (!(await list()).some((line) => line.includes("in Bash sleep 600"))) continue;
  const lines = await list();
  expect(lines).toHaveLength(2);
  const busy = lines.find((line) => line.includes("in Bash sleep 600")) ?? "";
  expect(busy).toContain(other);
  const [name = ""] = busy.split(" ");

  expect(await sessions("stop", name)).toBe(`Stopped ${name}.\n`);
  await second.exited;
  expect(await list()).toHaveLength(1);

  await first.press("ctrl+d");
  await first.exited;
  expect(await sessions("running")).toBe("Nothing is running.\n");
  await Promise.all([first.close(), second.close()]);
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
