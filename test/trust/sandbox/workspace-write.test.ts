/** The sandbox of approved commands. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { leave, room, type Room } from "../../tools/room.ts";
import { eachPrints } from "../one-command.ts";
import { sandboxHere } from "../sandbox-here.ts";

afterAll(leave);

/** A text that is nowhere else on the machine. */
const secret = `secret-${crypto.randomUUID()}`;

describe.skipIf(!sandboxHere)("workspace-write", () => {
  const fixed = [
    ".vscode/tasks.json",
    ".husky/pre-commit",
    ".git/hooks/pre-commit",
    ".github/workflows/ci.yml",
    ".mcp.json",
    "sub/.claude/settings.json",
  ];

  let at: Room;
  let home: string;
  beforeAll(async () => {
    at = await room();
    home = join(at.root, "../home");
    at.put("a.txt", "plain\n");
    at.put(".env", "KEY=1\n");
    for (const path of fixed) at.put(path, "before\n");
    at.put(".git/config", "[core]\n\tbare = false\n");
    for (const folder of [".ssh", ".npm", ".cargo/bin", ".config"])
      mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, ".ssh/id_rsa"), `${secret}\n`);
    writeFileSync(join(home, ".config/token"), `${secret}\n`);
    writeFileSync(join(home, ".cargo/bin/tool"), "#!/bin/sh\necho tool\n", { mode: 0o755 });
    writeFileSync(join(home, ".cargo/credentials.toml"), `${secret}\n`);
  });

  test("it writes to the workspace, to /tmp and to caches", async () => {
    expect(await at.bash("echo new > b.txt; mkdir c; cat b.txt .env")).toBe("new\nKEY=1");
    expect(readFileSync(join(at.root, "b.txt"), "utf8")).toBe("new\n");
    const file = `/tmp/kept-${basename(dirname(at.root))}`;
    await at.bash(`echo kept > ${file}; echo cached > ~/.cache/x`);
    expect(await at.bash(`touch y; cat ${file} ~/.cache/x`)).toBe("kept\ncached");
    expect(existsSync(file)).toBe(false);
  });

  test("an added folder is written like the workspace, and guarded like it", async () => {
    const added = at.outside;
    writeFileSync(join(added, ".mcp.json"), "before\n");
    const adding = await room({ addedFolders: [added], home });
    const review = await adding.review("Bash", { command: "touch x", writable: [added] });
    expect(review).toMatchObject({ verdict: "ask", ask: { access: undefined } });
    await adding.script(`echo new > ${added}/b.txt; echo evil > ${added}/.mcp.json`);
    expect(readFileSync(join(added, "b.txt"), "utf8")).toBe("new\n");
    expect(readFileSync(join(added, ".mcp.json"), "utf8")).toBe("before\n");
  });

  const writes = [
    ...fixed,
    ".git/hooks/post-commit",
    ".git/config",
    "~/.bashrc",
    "~/.cargo/bin/tool",
    "../outside/x",
    "/etc/evil",
  ];

  test("no command changes what runs later", async () => {
    const lines = [
      ...writes.map((path) => `echo evil >> ${path}`),
      "rm -r .husky; mkdir .husky; echo evil > .husky/pre-commit",
      "mv .git/hooks .git/old; mkdir .git/hooks; echo evil > .git/hooks/pre-commit",
      "sed -i s/before/evil/ .mcp.json",
      "chmod +w .mcp.json; echo evil > .mcp.json",
    ];
    const sees = `exec 2>&1; cat ${fixed.join(" ")} | sort | uniq -c`;
    const all = fixed.length;
    await eachPrints(`${all} before`, lines, at.script, sees);
    for (const path of fixed)
      expect([path, readFileSync(join(at.root, path), "utf8")]).toEqual([path, "before\n"]);
    expect(readFileSync(join(at.root, ".git/config"), "utf8")).not.toContain("evil");
    expect(readFileSync(join(home, ".cargo/bin/tool"), "utf8")).not.toContain("evil");
    const written = [join(home, ".bashrc"), join(at.outside, "x"), "/etc/evil"];
    for (const path of [...written, join(at.root, ".git/hooks/post-commit")])
      expect([path, existsSync(path)]).toEqual([path, false]);
  });

  test("no command shows a secret of the home", async () => {
    const lines = [
      "touch x; cat ~/.ssh/id_rsa",
      "cat ~/.config/token",
      "cat ~/.cargo/credentials.toml",
      "ls /root /home; grep -r secret- ~",
      `cat /etc/shadow && echo ${secret}`,
      "cat /proc/[0-9]*/environ",
      "cp ~/.ssh/id_rsa y; cat y",
    ];
    await eachPrints(expect.not.stringContaining(secret), lines, at.script);
  });

  test("our own folder stays hidden in a workspace that holds it", async () => {
    // Nothing in a folder of settings is looked at for secrets.
    const ownFolder = join(home, ".config/state");
    mkdirSync(ownFolder);
    writeFileSync(join(ownFolder, "logins.json"), `${secret}\n`);
    const resultsDir = join(ownFolder, "tool-results");
    const inHome = await room({ workspace: home, home, ownFolder, resultsDir });
    expect(await inHome.bash("touch x; cat .config/token .config/sta*/logins.json")).toMatch(
      new RegExp(`^${secret}\n.*logins.*No such file`),
    );
  });

  test("programs of the home run and have their caches, passwords stay hidden, and settings of the kernel are fixed", async () => {
    const links = join(home, ".tools");
    const cache = join(home, ".bun/install/cache");
    for (const folder of [links, cache, join(home, ".cargo/registry"), join(home, ".config/bin")])
      mkdirSync(folder, { recursive: true });
    writeFileSync(join(home, ".cargo/registry/x"), "");
    // It installs nothing without a network into a folder that has all.
    writeFileSync(join(cache, "mine"), "");
    for (const name of ["gh", "tool"]) mkdirSync(join(home, ".config", name));
    writeFileSync(join(home, ".config/gh/hosts.yml"), `${secret}\n`);
    writeFileSync(join(home, ".config/bin/other"), "#!/bin/sh\necho other\n", { mode: 0o755 });
    symlinkSync(join(home, ".cargo/bin/tool"), join(links, "tool"));
    symlinkSync(join(home, ".config/bin/other"), join(links, "other"));
    const PATH = `${links}:${process.env["PATH"] ?? ""}`;
    const equipped = await room({ workspace: at.root, childEnv: { PATH, HOME: home }, home });
    const script = [
      "tool; other; ~/.cargo/bin/tool; ls ~/.cargo/registry",
      "test -w /proc/sys/kernel/core_pattern || echo read-only",
      "touch ~/.bun/install/cache/theirs && ls ~/.bun/install/cache",
      "cat ~/.cargo/credentials.toml ~/.config/gh/hosts.yml",
      "echo evil > ~/.cargo/bin/tool",
    ];
    at.put("work.sh", script.join("\n"));
    const said = await equipped.bash("bash work.sh");
    expect(said).toStartWith("tool\nother\ntool\nx\nread-only\ntheirs\n");
    expect(said).toContain("Read-only");
    expect(said).not.toContain(secret);
    expect(readdirSync(cache)).toEqual(["mine"]);
  });

  test("the network is off unless the command needs it, and the question says so", async () => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("reached"),
    });
    const reach = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${server.port} && echo reached'`;
    const asked = async (command: string) => {
      const review = await at.review("Bash", { command });
      return review.verdict === "ask" ? review.ask.access : review.verdict;
    };
    const hidden = `P=/dev/tc; exec 3<>"$P"p/127.0.0.1/${server.port} && echo reached`;
    expect(await asked(hidden)).toBeUndefined();
    expect(await at.bash(hidden)).not.toContain("reached\n");
    expect(await asked(reach)).toBe(
      "Runs in the sandbox. It has network access to any host, and to servers and sockets of other programs on this machine.",
    );
    expect(await at.bash(reach)).toBe("reached");
    expect(await asked("git push")).toStartWith("Runs outside the sandbox");
    expect(await asked("touch x")).toBeUndefined();
    server.stop(true);
  });

  test("a command that the sandbox stops is told how to request more access, and gets it", async () => {
    expect(await at.bash("echo x > /usr/new")).toContain("sandbox: false");
    const access = expect.stringMatching(/^Runs outside the sandbox/);
    expect(await at.review("Bash", { command: "ls", sandbox: false })).toMatchObject({
      ask: { access, rule: null },
    });
    await at.bash(`echo x > ${at.outside}/new`, { sandbox: false });
    expect(existsSync(join(at.outside, "new"))).toBe(true);
  });

  test("git commits as the user", async () => {
    Bun.spawnSync(["rm", "-rf", ".git"], { cwd: at.root });
    const setup = "git init -q; git config core.hooksPath .";
    Bun.spawnSync(["sh", "-c", setup], { cwd: at.root });
    writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Me\n\temail = me@x\n");
    expect(await at.bash("git add a.txt && git commit -qm first && git log --format=%an")).toBe(
      "Me",
    );
  });

  test("processes that it leaves running become a task and end with the toolbox, even if they detached", async () => {
    const own = `98${process.pid}`;
    const text = await at.bash(`setsid sleep ${own} & (setsid sleep ${own} &); echo started`);
    expect(text).toContain("started\n[It left processes running in the background: bash_1.]");
    const running = () =>
      Bun.spawnSync(["ps", "-eo", "args"]).stdout.toString().includes(`sleep ${own}\n`);
    expect(running()).toBe(true);
    await at.box.close();
    while (running()) await Bun.sleep(10);
  });
});
