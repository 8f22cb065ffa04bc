/** What a command leaves running may write later, however it hides: it is looked at again. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blockText } from "../../../src/protocol/block.ts";
import { leave, quietRun, room, type Room } from "../room.ts";

afterAll(leave);

let at: Room;
let calls = 0;

beforeEach(async () => {
  at = await room({ mode: "auto" });
  // Waits until the test lets it write; the session's /tmp cannot be seen by the test.
  at.put(
    "later.sh",
    "while ! [ -e go ]; do sleep 0.01; done; mkdir -p .claude; echo evil > .claude/settings.json; : > done; sleep 30\n",
  );
  at.put(
    "threads.py",
    "import ctypes, os, threading\n" +
      "threading.Thread(target=lambda: os.system('(sleep 0.2; : > ready) & exec bash later.sh')).start()\n" +
      "ctypes.CDLL(None).pthread_exit(None)\n",
  );
  at.put(
    "stopped.sh",
    "bash later.sh & kill -STOP $!; : > ready; while ! [ -e go ]; do sleep 0.01; done; kill -CONT $!; exec -a x sleep 30\n",
  );
});

const path = (name: string): string => join(at.root, name);

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await Bun.sleep(5);
}

async function run(command: string): Promise<string> {
  const call = {
    type: "tool_use",
    id: `u${(calls += 1)}`,
    name: "Bash",
    input: { command },
  } as const;
  expect(await at.box.review(call)).toMatchObject({ verdict: "allow" });
  return blockText((await at.box.run(call, quietRun())).content);
}

const hasSandbox = await room().then(({ box }) => box.hasSandbox());
const ways = [
  "bash later.sh &",
  "nohup bash later.sh > /dev/null 2>&1 &",
  "setsid -f bash later.sh",
  "env -i PATH=$PATH setsid bash later.sh < /dev/null > /dev/null 2>&1 & disown",
  "(setsid sh -c 'bash later.sh &' &)",
  "echo 'setsid bash later.sh > /dev/null 2>&1 &' > test.sh; bash test.sh",
  "MINI_CLAUDE_COMMAND=other setsid -f bash later.sh",
  "node -e 'require(`child_process`).spawn(`bash`, [`later.sh`], { detached: true, stdio: `ignore`, env: {} }).unref()'",
  "bash -c 'exec -c /bin/bash later.sh' & exit",
  // Its name is part of what the kernel says of it.
  "cp /bin/bash ') Z '; setsid -f ./') Z ' later.sh",
  "cp /bin/bash 'x) X 1'; setsid -f ./'x) X 1' later.sh",
  // To the kernel, a process whose first thread has ended is a zombie.
  "setsid -f python3 threads.py > /dev/null 2>&1; while ! [ -e ready ]; do sleep 0.01; done",
  // Stopped while the command ends, and continued by one that nobody sees.
  "setsid -f bash stopped.sh; while ! [ -e ready ]; do sleep 0.01; done",
];

describe.skipIf(!hasSandbox)("what is left by", () => {
  test.each(ways)("%s: before the next command", async (command) => {
    await run(command);
    writeFileSync(path("go"), "");
    await until(() => existsSync(path("done")));
    expect(await run("echo x > x")).toContain(".claude/settings.json");
    expect(existsSync(path(".claude"))).toBe(false);
  });

  test.each(ways.slice(3, 5))("%s: when the turn and when the session ends", async (command) => {
    await run(command);
    await at.box.settle();
    writeFileSync(path("go"), "");
    await until(() => existsSync(path("done")));
    await at.box.settle();
    expect(existsSync(path(".claude"))).toBe(false);
    await at.box.close();
  });

  test("what it wrote is undone with the next command", async () => {
    await run(
      "setsid -f sh -c 'while ! [ -e go ]; do sleep 0.01; done; echo late > late; : > done'",
    );
    writeFileSync(path("go"), "");
    await until(() => existsSync(path("done")));
    const input = { command: "echo x > x" };
    const call = { type: "tool_use", id: "last", name: "Bash", input } as const;
    await at.box.review(call);
    const { checkpoint = [] } = await at.box.run(call, quietRun());
    expect(checkpoint.map((file) => file.path)).toContain(path("late"));
  });

  test.each(["sh -c LATE &", "env -i setsid sh -c LATE > /dev/null 2>&1 & disown"])(
    "what it wrote belongs to the turn in which it did: %s",
    async (line) => {
      const late = "'while ! [ -e go ]; do sleep 0.01; done; echo late > late; : > done; sleep 30'";
      await run(line.replace("LATE", late));
      expect(await at.box.settle()).toEqual({ files: [], told: [] });
      writeFileSync(path("go"), "");
      await until(() => existsSync(path("done")));
      const written = (await at.box.settle()).files.map((file) => file.path);
      expect(written).toContain(path("late"));
      expect(await at.box.settle()).toEqual({ files: [], told: [] });
      const call = {
        type: "tool_use",
        id: "next",
        name: "Bash",
        input: { command: "echo x > x" },
      } as const;
      await at.box.review(call);
      const { checkpoint = [] } = await at.box.run(call, quietRun());
      expect(checkpoint.map((file) => file.path)).toEqual([path("x")]);
    },
  );

  test("a file that the user makes meanwhile stays when nothing runs", async () => {
    await run("echo x > x");
    at.put("CLAUDE.md", "mine\n");
    await run("echo y > y");
    expect(existsSync(path("CLAUDE.md"))).toBe(true);
  });
});
