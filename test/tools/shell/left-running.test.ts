/** What a command leaves running may write later, however it hides: it is looked at again. */

import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leave, room } from "../room.ts";

afterAll(leave);

async function open() {
  const at = await room({ mode: "auto" });
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
  const path = (name: string): string => join(at.root, name);
  return {
    ...at,
    path,
    execute: (command: string) => at.judged("Bash", { command }),
    run: at.bash,
    /** Lets what waits write, and waits until it has. */
    async go() {
      writeFileSync(path("go"), "");
      while (!existsSync(path("done"))) await Bun.sleep(5);
    },
  };
}

const hasSandbox = await room().then(({ box }) => box.hasSandbox());
const ways = [
  "bash later.sh &",
  "env -i PATH=$PATH setsid bash later.sh < /dev/null > /dev/null 2>&1 & disown",
  "MINI_CLAUDE_COMMAND=other setsid -f bash later.sh",
  "bash -c 'exec -c /bin/bash later.sh' & exit",
  // Its name is part of what the kernel says of it.
  "cp /bin/bash 'x) X 1'; setsid -f ./'x) X 1' later.sh",
  // To the kernel, a process whose first thread has ended is a zombie.
  "setsid -f python3 threads.py > /dev/null 2>&1; while ! [ -e ready ]; do sleep 0.01; done",
  // Stopped while the command ends, and continued by one that nobody sees.
  "setsid -f bash stopped.sh; while ! [ -e ready ]; do sleep 0.01; done",
];

describe.skipIf(!hasSandbox)("what is left by", () => {
  test.concurrent.each(ways)("%s: before the next command", async (command) => {
    const { run, go, path } = await open();
    await run(command);
    await go();
    expect(await run("echo x > x")).toContain(".claude/settings.json");
    expect(existsSync(path(".claude"))).toBe(false);
  });

  test.concurrent("one that hides: when the turn ends", async () => {
    const { box, run, go, path } = await open();
    await run(ways[1] ?? "");
    await box.settle();
    await go();
    await box.settle();
    expect(existsSync(path(".claude"))).toBe(false);
  });

  test.concurrent.each(["sh -c LATE &", "env -i setsid sh -c LATE > /dev/null 2>&1 & disown"])(
    "what it wrote belongs to the turn in which it did: %s",
    async (line) => {
      const { box, execute, go, path } = await open();
      const late = "'while ! [ -e go ]; do sleep 0.01; done; echo late > late; : > done; sleep 30'";
      await execute(line.replace("LATE", late));
      expect(await box.settle()).toEqual({ files: [], told: [] });
      await go();
      const written = (await box.settle()).files.map((file) => file.path);
      expect(written).toContain(path("late"));
      expect(await box.settle()).toEqual({ files: [], told: [] });
      const { checkpoint = [] } = await execute("echo x > x");
      expect(checkpoint.map((file) => file.path)).toEqual([path("x")]);
    },
  );
});
