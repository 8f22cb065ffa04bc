/** The sandbox of read-only commands, with every command judged read-only: a wrong judgment must do no harm. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { room, temporaryFolder, type Room } from "../../tools/room.ts";
import { eachPrints, runAsOne } from "../one-command.ts";
import { sandboxHere } from "../sandbox-here.ts";
import { leaveSandboxes, sandboxOf } from "./open.ts";

afterAll(leaveSandboxes);

async function ground() {
  const top = temporaryFolder();
  const [root, home, outside] = [join(top, "workspace"), join(top, "home"), join(top, "outside")];
  const results = join(home, ".mini-claude/tool-results");
  for (const folder of [join(root, "sub/deep"), outside, join(home, ".ssh"), results])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, "a.txt"), "plain\n");
  for (const path of [
    ...[".env", "sub/prod.env", "sub/deep/credentials.json", "server.pem", "sub/settings.txt"].map(
      (name) => join(root, name),
    ),
    ...[".ssh/id_rsa", ".bashrc", ".mini-claude/tool-results/1-other.txt"].map((name) =>
      join(home, name),
    ),
    join(outside, "o.txt"),
  ])
    writeFileSync(path, "SECRET\n");
  symlinkSync(".env", join(root, "innocent.txt"));
  symlinkSync("sub/settings.txt", join(root, ".env.local"));
  symlinkSync(join(outside, "o.txt"), join(root, "link.txt"));
  symlinkSync(outside, join(root, "way"));
  const { run } = await sandboxOf(root, home, {
    hiddenFilter: () => (name) => /\.env|credentials|\.pem/.test(name),
  });
  return { root, home, outside, run: (command: string) => run(command, false) };
}

describe.skipIf(!sandboxHere)("read-only", () => {
  let at: Awaited<ReturnType<typeof ground>>;
  beforeAll(async () => {
    at = await ground();
  });

  const hidden = [
    "cat .env",
    "cat innocent.txt",
    "cat .env.local",
    "cat sub/prod.env sub/deep/credentials.json server.pem",
    "grep -r SECRE. .",
    "cat link.txt way/o.txt",
    "cat ~/.ssh/id_rsa ~/.bashrc",
    "cat ~/.mini-claude/tool-results/*",
    "cat /root/.ssh/* /home/*/.ssh/*",
    "cat /etc/shadow",
    "env; export -p; set",
    "cat /proc/*/environ | tr '\\0' '\\n'",
    "python3 -c \"print(open('.env').read())\"",
    "chmod 644 .env; cat .env",
    "mount --bind /dev/null a.txt; umount .env; cat .env",
  ];

  test("no command shows a secret", async () => {
    await eachPrints(expect.not.stringContaining("SECRET"), hidden, at.run);
  });

  test("no command changes anything", async () => {
    const writes = [
      "touch x",
      "echo x > a.txt",
      "chmod 777 a.txt",
      "git init new",
      "touch ../outside/x ~/x way/x",
      "python3 -c \"open('a.txt', 'w')\"",
      "find . -delete",
      "rm -rf . ~ ../outside",
    ];
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

  test("processes and servers of the machine are neither seen nor reached", async () => {
    const other = processBeyond(50);
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: () => undefined },
    });
    const lines = [
      `kill -0 ${other.pid} && echo reached`,
      `(exec 3<>/dev/tcp/127.0.0.1/${server.port}) 2> /dev/null && echo reached`,
      "ls /proc | grep -c '^[0-9]'",
    ];
    const spaces = ["ipc", "uts", "pid"].map((name) => `/proc/self/ns/${name}`);
    const sees = `readlink ${spaces.join(" ")}; grep CapEff /proc/self/status`;
    const said = await at.run([...lines, sees].join("; "));
    other.kill();
    server.stop(true);
    for (const path of spaces) expect(said).not.toContain(readlinkSync(path));
    expect(said).not.toContain("reached");
    expect(said).toMatch(/^[1-9]\n(?:\w+:\[\d+\]\n){3}CapEff:\s+0{16}$/m);
  });

  test("processes that it starts end with it, even in a session of their own", async () => {
    const name = `sleep 98${process.pid}`;
    await at.run(
      `setsid ${name} & setsid setsid ${name} & (${name} &) ; nohup ${name} & disown; echo`,
    );
    const running = () => Bun.spawnSync(["ps", "-eo", "args"]).stdout.toString().split("\n");
    while (running().includes(name)) await Bun.sleep(10);
  });
});

describe.skipIf(!sandboxHere)("in a sandbox more is read-only", () => {
  let at: Room;
  beforeAll(async () => {
    at = await room({ rules: { deny: ["Read(vault/**)"] } });
    for (const path of ["a.txt", "sub/b.txt"]) at.put(path, "plain\n");
    for (const path of [".env", "sub/prod.env", "server.pem", "vault/x"]) at.put(path, "SECRET\n");
  });

  test("commands that read run without approval and show no secret, nor what rules deny", async () => {
    const lines = [
      "grep -r . .",
      "find . -name .env -o -path ../x",
      "cat *",
      "cat .e*",
      "head -n 1 *.txt sub/{b,c}.txt",
      "du -sh .",
      "jq . *.txt",
    ];
    for (const command of lines)
      expect([command, await at.verdict("Bash", { command })]).toEqual([command, "allow"]);
    await eachPrints(expect.not.stringContaining("SECRET"), lines, at.bash);
  });

  test("only git sees addresses in its configuration, since they may hold a token", async () => {
    const plain = await room();
    plain.put("a.txt", "plain\n");
    Bun.spawnSync(["git", "init", "-q", "-b", "main"], { cwd: plain.root });
    const header = "[http]\n\textraheader = Authorization: Basic SECRET\n";
    plain.put(".git/config", `${header}[remote "o"]\n\turl = https://me:SECRET@x/y\n`);
    plain.put(".git/modules/x/config.worktree", "url = https://me:SECRET@x/y\n");
    const run = async (command: string): Promise<string> => {
      const { verdict } = await plain.review("Bash", { command });
      return verdict === "allow" ? plain.bash(command) : verdict;
    };
    expect(await run("git status --short | head -n 1; cat a.txt")).toBe("?? a.txt\nplain");
    for (const command of [
      "grep -rn url .git; cat .git/con* .git/mod*/x/con*; find .git | xargs cat",
      "f=git; cat .$f/config",
      "git status --short && grep -rn url .git",
      "git config --list; git remote -v",
    ])
      expect(await run(command)).not.toContain("SECRET");
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
