/** The sandbox of read-only commands, with every command judged read-only: a wrong judgment must do no harm. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leave, room, temporaryFolder, type Room } from "../../tools/room.ts";
import { runAsOne } from "../one-command.ts";
import { sandboxHere } from "../sandbox-here.ts";
import { closePlace, sandboxOf } from "./open.ts";

afterAll(async () => {
  await closePlace();
  await leave();
});

type Ground = {
  root: string;
  home: string;
  outside: string;
  run(command: string): Promise<string>;
};

async function ground(): Promise<Ground> {
  const top = temporaryFolder();
  const [root, home, outside] = ["workspace", "home", "outside"].map((name) => join(top, name));
  if (!root || !home || !outside) throw new Error("unreachable");
  const results = join(home, ".mini-claude/tool-results");
  for (const folder of [join(root, "sub/deep"), outside, join(home, ".ssh"), results]) {
    mkdirSync(folder, { recursive: true });
  }
  const put = (path: string, text: string) => writeFileSync(path, text);
  put(join(root, "a.txt"), "plain\n");
  for (const name of [".env", "sub/prod.env", "sub/deep/credentials.json", "server.pem"]) {
    put(join(root, name), "SECRET\n");
  }
  symlinkSync(".env", join(root, "innocent.txt"));
  symlinkSync("sub/settings.txt", join(root, ".env.local"));
  put(join(root, "sub/settings.txt"), "SECRET\n");
  put(join(home, ".ssh/id_rsa"), "SECRET\n");
  put(join(home, ".bashrc"), "SECRET\n");
  put(join(results, "1-other.txt"), "SECRET\n");
  put(join(outside, "o.txt"), "SECRET\n");
  symlinkSync(join(outside, "o.txt"), join(root, "link.txt"));
  symlinkSync(outside, join(root, "way"));
  const { confine } = await sandboxOf(root, home, {
    hiddenFilter: () => (name) => /\.env|credentials|\.pem/.test(name),
  });
  return {
    root,
    home,
    outside,
    async run(command) {
      const { before, variables } = await confine({ write: false, joins: true });
      const child = Bun.spawnSync([...before, "/bin/bash", "-c", `exec 2>&1; ${command}`], {
        env: { PATH: process.env["PATH"], HOME: home, ...variables },
      });
      return child.stdout.toString().trimEnd();
    },
  };
}

describe.skipIf(!sandboxHere)("read-only", () => {
  let at: Ground;
  beforeEach(async () => {
    at = await ground();
  });

  const hidden = [
    "cat .env",
    "cat innocent.txt",
    "cat .env.local",
    "cat sub/settings.txt",
    "cat sub/prod.env sub/deep/credentials.json server.pem",
    "grep -r SECRE. .",
    "find . -type f -exec cat {} +",
    "cat link.txt way/o.txt",
    "cat ../outside/o.txt",
    "cat ~/.ssh/id_rsa ~/.bashrc",
    "cat ~/.mini-claude/tool-results/*",
    "cat /root/.ssh/* /home/*/.ssh/*",
    "cat /etc/shadow",
    "env; export -p; set",
    "cat /proc/*/environ | tr '\\0' '\\n'",
    "dd if=.env",
    "tar cf - . | strings",
    "rg --hidden -uu SECRE.",
    "python3 -c \"print(open('.env').read())\"",
    "cp .env /tmp/x; cat /tmp/x",
    "chmod 644 .env; cat .env",
    "mount --bind /dev/null a.txt; umount .env; cat .env",
    "umount -l .env; cat .env",
  ];

  test("no command shows a secret", async () => {
    for (const [line, said] of await runAsOne(hidden, at.run))
      expect([line, said]).toEqual([line, expect.not.stringContaining("SECRET")]);
  });

  const writes = [
    "touch x",
    "echo x > a.txt",
    "rm a.txt",
    "mkdir new",
    "sed -i s/p/q/ a.txt",
    "chmod 777 a.txt",
    "git init new",
    "touch ../outside/x ~/x way/x",
    "python3 -c \"open('a.txt', 'w')\"",
    "sort -o a.txt a.txt",
    "find . -delete",
    "rm -rf . ~ ../outside",
  ];

  test("no command changes anything", async () => {
    const state = () =>
      [at.root, at.outside, at.home].map((folder) => readdirSync(folder, { recursive: true }));
    // It makes folders for caches.
    await at.run("true");
    const before = state().map((names) => names.toSorted());
    const sees = "echo; echo STATE; ls -AR .; cat a.txt";
    const [first, ...after] = await runAsOne(
      ["true", ...writes].map((line) => `${line}; ${sees}`),
      at.run,
    );
    const seen = first?.[1].split("STATE")[1];
    expect(seen).toContain("plain");
    for (const [line, said] of after) expect([line, said.split("STATE")[1]]).toEqual([line, seen]);
    expect(state().map((names) => names.toSorted())).toEqual(before);
    expect(await Bun.file(join(at.root, "a.txt")).text()).toBe("plain\n");
  });

  test("there is no network", async () => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("reached"),
    });
    const { port } = server;
    const lines = [
      `curl -s http://127.0.0.1:${port}`,
      `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`,
      `python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:${port}').read())"`,
      "cat /sys/class/net/eth0/address",
      "getent hosts example.com && echo reached",
    ];
    for (const [line, said] of await runAsOne(lines, at.run))
      expect([line, said]).toEqual([line, expect.not.stringContaining("reached")]);
    server.stop(true);
  });

  test("processes of the machine are neither seen nor reached", async () => {
    const other = processBeyond(50);
    expect(await at.run(`kill -0 ${other.pid} && echo reached`)).not.toContain("reached");
    other.kill();
    expect(await at.run("ls /proc | grep -c '^[0-9]'")).toMatch(/^[1-9]$/m);
    expect(await at.run("grep CapEff /proc/self/status")).toContain("0000000000000000");
  });

  test("processes that it starts end with it, even in a session of their own", async () => {
    const name = `sleep 98${process.pid}`;
    await at.run(
      `setsid ${name} & setsid setsid ${name} & (${name} &) ; nohup ${name} & disown; echo`,
    );
    while (running(name)) await Bun.sleep(10);
  });

  test("ordinary reading works", async () => {
    expect(await at.run("cat a.txt; ls sub; pwd")).toBe(
      `plain\ndeep\nprod.env\nsettings.txt\n${at.root}`,
    );
    expect(
      await at.run("ls | sort -r | head -1; date +%Y | wc -c; whoami > /dev/null && echo ok"),
    ).toContain("ok");
  });

  test("git works there", async () => {
    Bun.spawnSync(["git", "init", "-q", "-b", "main"], { cwd: at.root });
    expect(await at.run("git status --short")).toContain("?? a.txt");
    writeFileSync(join(at.root, ".git/config"), '[remote "o"]\n\turl = https://me:SECRET@x/y\n');
    expect(await at.run("cat .git/config")).not.toContain("SECRET");
    expect(await at.run("git status --short")).toContain("?? a.txt");
    expect(existsSync(join(at.root, ".git/index.lock"))).toBe(false);
  });
});

describe.skipIf(!sandboxHere)("in a sandbox more is read-only", () => {
  let at: Room;
  beforeEach(async () => {
    at = await room();
    at.put("a.txt", "plain\n");
    at.put("sub/b.txt", "plain\n");
    for (const path of [".env", "sub/prod.env", "server.pem"]) at.put(path, "SECRET\n");
  });

  test("commands that read run without approval and show no secret", async () => {
    const lines = [
      "grep -r plain .",
      "find . -name .env -o -path ../x",
      "cat *",
      "cat .e*",
      "head -n 1 *.txt sub/{b,c}.txt",
      "du -sh .",
      "jq . *.txt",
    ];
    for (const command of lines)
      expect([command, (await at.review("Bash", { command })).verdict]).toEqual([command, "allow"]);
    for (const [line, said] of await runAsOne(lines, at.bash))
      expect([line, said]).toEqual([line, expect.not.stringContaining("SECRET")]);
  });

  test("only git sees addresses in its configuration, since they may hold a token", async () => {
    Bun.spawnSync(["git", "init", "-q", "-b", "main"], { cwd: at.root });
    at.put(".git/config", '[remote "o"]\n\turl = https://me:SECRET@x/y\n');
    at.put(".git/modules/x/config.worktree", "url = https://me:SECRET@x/y\n");
    const run = async (command: string): Promise<string> => {
      const { verdict } = await at.review("Bash", { command });
      return verdict === "allow" ? at.bash(command) : verdict;
    };
    expect(await run("git status --short")).toContain("?? a.txt");
    expect(await run("git status --short | head -n 1; cat a.txt")).toContain("plain");
    for (const command of [
      "grep -rn url .git",
      "cat .git/con*",
      "cat .git/mod*/x/con*",
      "find .git | xargs cat",
      "f=git; cat .$f/config",
      "git status --short && grep -rn url .git",
      "git config --list; git remote -v",
    ])
      expect(await run(command)).not.toContain("SECRET");
  });

  test("the rules of the settings hide files, too", async () => {
    const ruled = await room({ rules: { allow: [], ask: [], deny: ["Read(vault/**)"] } });
    ruled.put("vault/x", "SECRET\n");
    const command = "grep -r . .";
    expect((await ruled.review("Bash", { command })).verdict).toBe("allow");
    expect(await ruled.bash(command)).not.toContain("SECRET");
  });
});

/** A process with a higher id than any in the sandbox, which has few. */
function processBeyond(pid: number): Bun.Subprocess {
  for (;;) {
    const child = Bun.spawn(["sleep", "60"]);
    if (child.pid > pid) return child;
    child.kill();
  }
}

function running(command: string): boolean {
  const { stdout } = Bun.spawnSync(["ps", "-eo", "args"]);
  return stdout
    .toString()
    .split("\n")
    .some((line) => line.trim() === command);
}
