/** Sessions that another process holds: listed and stopped. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { pathsFor } from "../../../src/config/paths.ts";
import { createLog } from "../../../src/log/store.ts";
import type { Fact, SessionFact } from "../../../src/protocol/entry.ts";
import { sandbox } from "../../bin.ts";
import { inProcess } from "../../in-process.ts";
import { assistantFact, sessionFact, userFact } from "../../log/facts.ts";

const box = inProcess(await sandbox("running"));
afterAll(box.remove);
const { projectSessions } = pathsFor(box.env, box.project);

const sessions = (...args: string[]) => box.run(["sessions", ...args]);

/** A session with these facts, which a process holds until it ends. */
async function held(name: string, pid: number, facts: Fact[], began: Partial<SessionFact> = {}) {
  const log = createLog(projectSessions, name);
  await log.append({ ...sessionFact(name), ...began });
  for (const fact of facts) await log.append(fact);
  await log.close();
  const lock = join(projectSessions, `${name}.jsonl.lock`);
  writeFileSync(lock, JSON.stringify({ pid, started: "" }));
}

test("sessions of another process are listed with what they do, and stopped", async () => {
  expect((await sessions("running")).out).toBe("Nothing is running.\n");
  await using holder = Bun.spawn(["sleep", "600"], { stdio: ["ignore", "ignore", "ignore"] });
  const { pid, exited } = holder;
  const startedBy = { session: "20260101-a", toolUse: "t", type: "general" };
  await held("20260101-a", pid, [userFact("go"), assistantFact("I look", ["x"])]);
  await held("20260101-b", pid, [], { startedBy });
  await held("20260101-c", pid, [userFact("go"), assistantFact("done")]);
  await held("20260101-d", pid, [userFact("go")]);
  const { out } = await sessions("running");
  expect(out.trim().split("\n").sort()).toEqual([
    expect.stringMatching(new RegExp(`^20260101-a  process ${pid}  in Bash x, .*  go$`)),
    expect.stringMatching(/^20260101-b .*  not started, .*  subagent of 20260101-a/),
    expect.stringMatching(/^20260101-c .*  waiting for you, /),
    expect.stringMatching(/^20260101-d .*  the model is working, /),
  ]);
  expect(await sessions("stop", "20260101-b")).toMatchObject({
    code: 2,
    err: expect.stringContaining("is a subagent of 20260101-a; stop that one."),
  });
  expect((await sessions("stop", "20260101-a")).out).toBe("Stopped 20260101-a.\n");
  await exited;
  expect(await sessions("stop", "20260101-a")).toMatchObject({
    code: 2,
    err: expect.stringContaining("is not running"),
  });
});
