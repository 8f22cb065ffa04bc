import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { blockText, type ToolInput } from "../../../src/protocol/block.ts";
import { type Room, leave, room, temporaryFolder } from "../room.ts";

afterAll(leave);

const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await Bun.sleep(5);
}

function isWritten({ root }: Room, file: string): boolean {
  const path = join(root, file);
  return existsSync(path) && readFileSync(path, "utf8").endsWith("\n");
}

/** The process id that a command wrote into a file. */
async function readPid(at: Room, file: string): Promise<number> {
  await until(() => isWritten(at, file));
  return Number(readFileSync(join(at.root, file), "utf8"));
}

test.concurrent("output of both kinds in its order, exit code, no input", async () => {
  const at = await room();
  expect(await at.say("Bash", { command: "echo a; echo b >&2; echo c" })).toBe("a\nb\nc");
  const failed = await at.run("Bash", { command: "echo x; exit 3" });
  expect(failed.isError).toBe(true);
  expect(blockText(failed.content)).toBe("x\n[exit code 3]");
  expect(failed).toMatchObject({ bytes: 1, lines: 1 });
  const open = await at.run("Bash", { command: String.raw`printf '\na\nb'` });
  expect(open).toMatchObject({ bytes: 4, lines: 3 });
  expect(await at.say("Bash", { command: "true" })).toBe("(no output)");
  expect(await at.say("Bash", { command: "cat; echo end" })).toBe("end");
  expect(await at.say("Bash", { command: "kill -SEGV $$" })).toBe("[killed by SIGSEGV]");
  expect(await at.say("Bash", { command: "echo 'open" })).toContain("exit code 2");
  expect(readdirSync(at.results)).toEqual([]);
});

test.concurrent(
  "the next command starts where this one ended, unless that is outside",
  async () => {
    const at = await room();
    symlinkSync(at.outside, join(at.root, "way"));
    for (const name of ["sub", 'with "quotes" $x']) mkdirSync(join(at.root, name));
    for (const [command, folder] of [
      ["cd sub && false", "sub"],
      ["cd sub; trap 'echo mine' INT", "sub"],
      ["cd 'with \"quotes\" $x'", 'with "quotes" $x'],
      ["(cd sub)", "."],
      ["cd sub; cd ..", "."],
      ["exec true", "."],
    ] as const) {
      await at.run("Bash", { command });
      const back = `pwd; cd '${at.root}'`;
      expect(await at.say("Bash", { command: back }), command).toBe(join(at.root, folder));
    }
    for (const command of ["cd ..", "cd /", "cd way"]) {
      expect(await at.say("Bash", { command })).toContain("was reset to");
      expect(await at.say("Bash", { command: "pwd" })).toBe(at.root);
    }
  },
);

test.concurrent("a command cannot make up its working folder", async () => {
  const at = await room();
  mkdirSync(join(at.root, "inner"));
  await at.say("Bash", { command: "cd inner" });
  const find = `f=$(tr '\\0' '\\n' < /proc/$$/cmdline | grep -o "/[^ ']*[.]cwd" | head -1)`;
  for (const write of [
    `head -c 300000 /dev/zero | tr '\\0' a > "$f"`,
    'truncate -s 5000 "$f"',
    `printf '/etc\\n[Allowed]\\n' > "$f"`,
    'echo .. > "$f"',
  ]) {
    const said = await at.say("Bash", { command: `${find}; ${write}; echo shown; kill -9 $$` });
    expect(said).toStartWith("shown\n[");
    expect(said).not.toMatch(/working folder|Allowed|path/);
    expect(await at.say("Bash", { command: "pwd" })).toBe(join(at.root, "inner"));
  }
});

test.concurrent("a deleted working folder is replaced", async () => {
  const at = await room();
  const gone = join(at.root, "gone");
  await at.run("Bash", { command: "mkdir gone; cd gone" });
  rmSync(gone, { recursive: true });
  expect(await at.say("Bash", { command: "pwd" })).toBe(
    `${at.root}\n[The working folder ${gone} is gone; this ran in ${at.root}.]`,
  );
});

test.concurrent(
  "commands see the environment that they were given, and none of our other variables",
  async () => {
    process.env["SECRET_OF_THE_TEST"] = "key";
    const at = await room();
    const seen = await at.say("Bash", { command: "env" });
    delete process.env["SECRET_OF_THE_TEST"];
    expect(seen).not.toContain("SECRET_OF_THE_TEST");
    expect(seen).toContain("HOME=");
  },
);

test.concurrent("a time limit ends the command with all that it started", async () => {
  const command = "echo before; (trap '' TERM; sh -c 'echo $$ > pid; exec sleep 1000') & wait";
  // On a busy machine it may not have started when the time is up.
  for (let limit = 200; ; limit *= 2) {
    const at = await room({ bashTimeoutMs: limit, graceMs: 50 });
    const outcome = await at.run("Bash", { command });
    if (!isWritten(at, "pid")) continue;
    expect(outcome.isError).toBe(true);
    expect(blockText(outcome.content)).toBe(
      `before\n[timed out after ${limit} ms; if it is a server or a watcher, use run_in_background]`,
    );
    const pid = await readPid(at, "pid");
    return until(() => !isAlive(pid));
  }
});

test.concurrent(
  "an interrupt keeps the output so far, and ends sessions that began in it",
  async () => {
    const at = await room();
    const stop = new AbortController();
    const command = "echo begun; setsid sh -c 'echo $$ > pid; exec sleep 1000' & wait";
    const running = at.run("Bash", { command }, { signal: stop.signal });
    const pid = await readPid(at, "pid");
    stop.abort();
    expect(blockText((await running).content)).toBe("begun\n[interrupted by the user]");
    await until(() => !isAlive(pid));
    const before = new AbortController();
    before.abort();
    const never = await at.run("Bash", { command: "sleep 1000" }, { signal: before.signal });
    expect(blockText(never.content)).toContain("interrupted");
  },
);

test.concurrent("output is reported as it grows, cleaned, and only when it has grown", async () => {
  const at = await room();
  at.put("go", "");
  const reports: [string, number][] = [];
  const stop = new AbortController();
  const command = String.raw`printf '\033[1mfirst\033[0m\n'; while [ -e go ]; do sleep 0.01; done; echo second; sleep 1000`;
  const running = at.run(
    "Bash",
    { command },
    {
      signal: stop.signal,
      progress: (tail, bytes) => reports.push([tail, bytes]),
    },
  );
  await until(() => reports.length === 1);
  await at.run("Bash", { command: "sleep 0.05; rm go" });
  await until(() => reports.length >= 2);
  stop.abort();
  await running;
  expect(reports.map(([tail]) => tail)).toEqual(["first\n", "first\nsecond\n"]);
  expect(reports.at(-1)?.[1]).toBe(21);
});

test.concurrent(
  "large output is whole on disk; shown are its beginning, its end and the way to the rest",
  async () => {
    const at = await room();
    const outcome = await at.run("Bash", { command: "seq 1 20000; exit 1" });
    const whole = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("");
    expect(readFileSync(outcome.file ?? "", "utf8")).toBe(whole);
    expect(statSync(outcome.file ?? "").mode & 0o777).toBe(0o600);
    expect(outcome).toMatchObject({ bytes: whole.length, lines: 20_000, isError: true });
    const text = blockText(outcome.content);
    expect(text).toContain("Lines 1 to 133:\n1\n2\n");
    expect(text).toEndWith("\n20000\n\n[exit code 1]");
    expect(text.length).toBeLessThan(31_000);
    const rest = await at.say("Read", { file_path: outcome.file, offset: 10_000, limit: 1 });
    expect(rest).toContain("10000\t10000");
  },
);

test.concurrent("binary output can still be read", async () => {
  const at = await room();
  const command = String.raw`printf 'a\0\033[31mb\n'; seq 1 20000; printf '\377end'`;
  const { file } = await at.run("Bash", { command });
  const start = await at.say("Read", { file_path: file, limit: 2 });
  expect(start).toContain("     1\ta^@b\n     2\t1\n");
  expect(await at.say("Read", { file_path: file, offset: 20_002 })).toContain("\t\uFFFDend");
});

test.concurrent(
  "binary output is named, not shown, and can be opened by another command",
  async () => {
    const at = await room();
    const { content, file } = await at.run("Bash", {
      command: "printf '\\1'; head -c 2999 /dev/urandom",
    });
    expect(blockText(content)).toMatch(/^\[Binary output, \d\.\d KB\. It is in /);
    expect(await at.say("Bash", { command: `wc -c < ${file}` })).toContain("3000");
  },
);

test.concurrent("a command that floods its output is ended before it fills the disk", async () => {
  const at = await room({ maxOutputBytes: 1_000_000 });
  const outcome = await at.run("Bash", { command: "yes | head -c 2000000; sleep 1000" });
  expect(blockText(outcome.content)).toEndWith("[killed because it wrote too much output]");
});

test.concurrent("a background command returns at once and can be queried and stopped", async () => {
  const at = await room();
  const command =
    "echo $$ > pid; echo o'ne'; while [ ! -e go ]; do sleep 0.01; done; echo t'wo'; sleep 1000";
  expect(await at.say("Bash", { command, run_in_background: true })).toContain("bash_1");
  const pid = await readPid(at, "pid");
  await until(async () => (await at.say("BashOutput", { bash_id: "bash_1" })).includes("\none"));
  await until(async () =>
    (await at.say("BashOutput", { bash_id: "bash_1" })).includes("(no new output)"),
  );
  at.put("go", "");
  let news = "";
  await until(async () =>
    (news = await at.say("BashOutput", { bash_id: "bash_1" })).includes("two"),
  );
  expect(news).not.toMatch(/^one$/m);
  expect(await at.say("KillShell", { shell_id: "bash_1" })).toContain("Killed bash_1");
  await until(() => !isAlive(pid));
  await until(async () =>
    (await at.say("BashOutput", { bash_id: "bash_1" })).includes("ended (killed)"),
  );
  expect(await at.say("KillShell", { shell_id: "bash_9" })).toContain("Known: bash_1");
});

test.concurrent("a command that is sent to the background has no time limit there", async () => {
  const at = await room({ bashTimeoutMs: 100 });
  const command = "sleep 0.3; echo l'at'e";
  const sent = await at.run("Bash", { command }, { background: Promise.resolve() });
  expect(blockText(sent.content)).toContain("bash_1");
  expect(await at.say("BashOutput", { bash_id: "bash_1", wait: 60 })).toContain("late");
});

test.concurrent(
  "processes that a command leaves behind become a task, and end with the toolbox",
  async () => {
    const at = await room();
    const text = await at.say("Bash", { command: "sleep 1000 & echo $! > pid; echo started" });
    expect(text).toContain("started\n[It left processes running in the background: bash_1.]");
    const pid = await readPid(at, "pid");
    expect(isAlive(pid)).toBe(true);
    const left = (await at.box.leftRunning()).join();
    expect(left).toContain(`sleep (${pid})`);
    expect(left).not.toContain(`(${process.pid})`);
    expect(await at.box.background.list()).toMatchObject([{ isRunning: true, state: "running" }]);
    await at.box.close();
    await until(() => !isAlive(pid));
    expect(await at.box.leftRunning()).not.toContain(`sleep (${pid})`);
  },
);

test.concurrent.each<[ToolInput, string]>([
  [{ command: `echo ${"é".repeat(49_998)}` }, "has 100,001 bytes; write a script"],
  [{ command: "echo \0" }, "contains a null byte"],
  [{ command: "echo", hosts: ["a b"] }, "“a b” is not a host such as example.com"],
  [{ command: "echo", workdir: "none" }, "workdir: none is not a folder."],
  [{ command: "echo", workdir: ".." }, " is outside the workspace "],
])("%#. a call that cannot be carried out is refused with a sentence", async (input, why) => {
  const at = await room();
  const outcome = await at.run("Bash", input);
  expect(outcome.isError).toBe(true);
  expect(blockText(outcome.content)).toContain(why);
  expect(existsSync(at.results)).toBe(false);
});

test.concurrent(
  "a command that has begun in the sandbox, or was stopped, is not started again",
  async () => {
    const at = await room({ mode: "auto" });
    if (!(await at.box.hasSandbox())) return;
    expect(await at.bash("echo x >> log; cat log; exit 3")).toBe("x\n[exit code 3]");
    const how = { signal: AbortSignal.abort() };
    const stopped = await at.judged("Bash", { command: "sleep 1000" }, how);
    expect(blockText(stopped.content)).toContain("interrupted");
  },
);

test.concurrent("a command that cannot be prepared leaves no files", async () => {
  const at = await room({ mode: "auto" });
  if (!(await at.box.hasSandbox())) return;
  const none = join(at.outside, "none");
  const said = await at.bash("touch x", { writable: [none] });
  expect(said).toBe(`${none} does not exist; name the folder that it would be in.`);
  expect(readdirSync(at.results)).toEqual([]);
});

test.concurrent("a project's program is started in the sandbox, without secrets", async () => {
  const [program, env] = [["server", "x"], { PLAIN: "1", API_KEY: "secret" }];
  const free = await room({ sandbox: "off" });
  const how = { cwd: free.root, env, write: false };
  expect(await free.box.launchProgram(program, how)).toEqual({
    command: program,
    cwd: free.root,
    env,
  });
  const at = await room();
  if (!(await at.box.hasSandbox())) return;
  for (const write of [true, false]) {
    const confined = await at.box.launchProgram(program, { ...how, cwd: at.root, write });
    expect(confined.command.slice(-2)).toEqual(program);
    expect(confined.command.length).toBeGreaterThan(2);
    expect(confined.env).toMatchObject({ PLAIN: "1" });
    expect(confined.env).not.toHaveProperty("API_KEY");
    expect("PYTHONDONTWRITEBYTECODE" in confined.env).toBe(!write);
  }
});

test("60 MB of output are kept without being read", async () => {
  const at = await room();
  let most = 0;
  const measure = (): void => {
    const { heapUsed, external } = process.memoryUsage();
    most = Math.max(most, heapUsed + external);
  };
  measure();
  const before = most;
  const command = `yes ${"x".repeat(99)} | head -c 60000000`;
  const outcome = await at.run("Bash", { command }, { progress: measure });
  measure();
  expect(statSync(outcome.file ?? "").size).toBe(60_000_000);
  expect(outcome.bytes).toBe(60_000_000);
  expect(most - before).toBeLessThan(40_000_000);
  expect(blockText(outcome.content).length).toBeLessThan(31_000);
});

test.concurrent("a long progress bar is as small as what is left of it", async () => {
  const at = await room();
  const command =
    "for i in $(seq 9999); do printf 'downloading the file: %d of 9999\\r' $i; done; echo";
  const outcome = await at.run("Bash", { command });
  expect(blockText(outcome.content)).toBe("downloading the file: 9999 of 9999");
  expect(outcome.file).toBeUndefined();
});

test.concurrent("commands run although the folder for results cannot be written", async () => {
  const at = await room();
  await Bun.write(at.results, "in the way");
  for (const word of ["one", "two"]) expect(await at.bash(`echo ${word}`)).toBe(word);
});

test.concurrent("a command that nobody approved runs no program of the workspace", async () => {
  const at = await room({ sandbox: "off" });
  const ls = at.put("bin/ls", "#!/bin/sh\necho planted\n");
  chmodSync(ls, 0o755);
  chmodSync(at.put("ls", "#!/bin/sh\necho planted\n"), 0o755);
  const PATH = `${dirname(ls)}:.:${process.env["PATH"]}`;
  const env = { PATH, HOME: at.root };
  const inner = await room({ sandbox: "off", workspace: at.root, childEnv: env });
  expect(await inner.verdict("Bash", { command: "ls" })).toBe("allow");
  expect(await inner.bash("ls")).toBe("bin\nls");
  expect(await inner.say("Bash", { command: "ls" })).toBe("planted");
});

test.concurrent("a confined command reaches the hosts that a rule or the call allows", async () => {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("here\n") });
  const [allow, deny] = [["WebFetch(domain:a.wide.example)"], ["WebFetch(domain:c.wide.example)"]];
  const at = await room({
    mode: "auto",
    rules: { allow, deny },
    resolve: async () => ["127.0.0.1"],
  });
  if (!(await at.box.hasSandbox())) return;
  const get = `for h in a b c; do curl -sfm 60 http://$h.wide.example:${server.port} || echo no; done`;
  expect(await at.script(get, { hosts: ["*.wide.example"] })).toStartWith("here\nhere\nno\n");
  expect(await at.script(get)).toStartWith("here\nno\nno\n");
});

test.concurrent("file tools see the session's /tmp, which goes with the session", async () => {
  const at = await room({ mode: "auto" });
  if (!(await at.box.hasSandbox())) return;
  const name = `${crypto.randomUUID()}.txt`;
  await at.bash(`echo words > /tmp/${name}`);
  const read = { file_path: `/tmp/${name}` };
  expect(await at.verdict("Read", read)).toBe("allow");
  const fresh = { file_path: `/tmp/new-${name}`, content: "x" };
  expect(await at.verdict("Write", fresh)).toBe("allow");
  expect(blockText((await at.judged("Read", read)).content)).toBe("     1\twords");
  expect(await at.verdict("Bash", { command: "touch x", writable: ["/tmp"] })).toBe("allow");
  expect(await at.verdict("Bash", { command: `kill $(cat /tmp/${name})` })).toBe("allow");
  // What is on the machine beside a workspace below /tmp is not the session's.
  const beside = { file_path: join(at.outside, "new"), content: "x" };
  expect(await at.verdict("Write", beside)).toBe("refuse");
  // Other tests remove folders of theirs meanwhile, which a walk would trip over.
  const places = () =>
    readdirSync(tmpdir()).filter((folder) => existsSync(join(tmpdir(), folder, "tmp", name)));
  expect(places()).toHaveLength(1);
  await at.box.close();
  expect(places()).toEqual([]);
});

/** Mounts a disk of one megabyte; null: this may not be done here. */
function tinyDisk(): { folder: string; remove(): void } | null {
  const folder = temporaryFolder();
  const run = (...line: string[]): boolean => Bun.spawnSync(line).success;
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null;
  if (!run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder)) return null;
  return { folder, remove: () => void run("umount", "-l", folder) };
}

test.concurrent("a result says that the disk is full, however the command ended", async () => {
  const disk = tinyDisk();
  if (!disk) return;
  try {
    const { say } = await room({ resultsDir: disk.folder });
    const full = `[The disk is full: ${disk.folder} has no room for the output of commands.]`;
    const write = "head -c 3000000 /dev/zero | tr '\\0' a";
    expect(await say("Bash", { command: "echo small" })).toBe("small");
    const failed = await say("Bash", { command: `${write}; exit 1` });
    expect(failed).toContain("[exit code 1]");
    expect(failed).toContain(full);
    expect(await say("Bash", { command: `${write} 2>/dev/null; true` })).toContain(full);
    expect(await say("Bash", { command: "echo small" })).toContain(full);
  } finally {
    disk.remove();
  }
});
