/** A command that nobody was asked about writes to a view of its own: what it changed is taken over after a look. */

import { afterAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Checkpoints } from "../../../src/log/checkpoints.ts";
import { rewindFiles } from "../../../src/log/rewind-files.ts";
import { planRewind } from "../../../src/log/rewind-plan.ts";
import { blockText } from "../../../src/protocol/block.ts";
import type { EntryOf } from "../../../src/protocol/entry.ts";
import type { CallOptions } from "../../../src/tools/tool.ts";
import { leave, quietRun, room, temporaryFolder, type Room } from "../room.ts";
import { layersHere } from "../../trust/sandbox-here.ts";

afterAll(leave);

let at: Room;
let store: Checkpoints;
let saved: string;
let undo: EntryOf<"checkpoint">[];
let calls = 0;

const path = (name: string): string => join(at.root, name);
const text = (name: string): string => readFileSync(path(name), "utf8");
const outside = (line: string) => Bun.spawnSync(["bash", "-c", line], { cwd: at.root });

const open = async (more = {}): Promise<void> => {
  saved = join(temporaryFolder(), "checkpoints");
  store = new Checkpoints(saved);
  undo = [];
  at = await room({ mode: "auto", checkpoint: store, undoIgnoredBytes: 50_000, ...more });
};

beforeEach(() => open());

type Running = { said: Promise<string>; shows(text: string): Promise<void>; interrupt(): void };

/** `more`: what the call is given besides. */
async function start(command: string, more: Partial<CallOptions> = {}): Promise<Running> {
  calls += 1;
  const call = { type: "tool_use", id: `l${calls}`, name: "Bash", input: { command } } as const;
  expect(await at.box.review(call)).toMatchObject({ verdict: "allow" });
  const stop = new AbortController();
  let shown = "";
  const progress = (tail: string): void => void (shown = tail);
  const options = { ...quietRun(), signal: stop.signal, progress, ...more };
  const said = at.box.run(call, options).then(async (outcome) => {
    const entry = { id: `e${calls}`, parent: null, at: "", toolUse: call.id };
    if (outcome.checkpoint) undo.push({ ...entry, type: "checkpoint", files: outcome.checkpoint });
    await at.box.logged();
    return blockText(outcome.content);
  });
  const shows = async (wanted: string): Promise<void> => {
    while (!shown.includes(wanted)) await Bun.sleep(2);
  };
  return { said, shows, interrupt: () => stop.abort() };
}

const run = async (command: string, more: Partial<CallOptions> = {}): Promise<string> =>
  (await start(command, more)).said;

/** Runs up to the point where it waits, lets somebody else work, and ends it. */
async function during(command: string, work: () => unknown): Promise<string> {
  const running = await start(`${command}; echo waits; sleep 1000`);
  await running.shows("waits");
  await work();
  running.interrupt();
  return running.said;
}

const rewind = () => rewindFiles(store, { undo: undo.splice(0), redo: [] }, (file) => file);

/** Names, modes, times and contents of all files. */
const state = (): string =>
  outside(
    "find . -path ./.git -prune -o -printf '%p %y %m %l\\n' | sort; find . -path ./.git -prune -o -type f -printf '%p %T@\\n' -exec sha256sum {} + | sort",
  ).stdout.toString();

/** Without times, which a restored content does not have. */
const contents = (): string =>
  outside(
    "find . -printf '%p %y %m %l\\n' | sort; find . -type f -exec sha256sum {} + | sort",
  ).stdout.toString();

const planted = [
  ".git/hooks/pre-commit",
  ".git/config.worktree",
  "sub/.git/config",
  "sub/.git/hooks/post-checkout",
  ".vscode/tasks.json",
  ".envrc",
  "mcp/server.js",
  "tools/hook.sh",
  "CLAUDE.md",
  "dist/.envrc",
];

describe.skipIf(!layersHere)("while a command runs", () => {
  test("nothing that it plants is in the workspace, nor after the look", async () => {
    outside("git init -q; mkdir mcp tools");
    at.box.protect(Promise.resolve([path("mcp/server.js"), path("tools/hook.sh")]));
    const watches = `while :; do for f in ${planted.join(" ")}; do [ -e $f ] && echo $f; done; sleep 0.001; done`;
    const watcher = Bun.spawn(["bash", "-c", watches], { cwd: at.root, stdout: "pipe" });
    const plants = planted.map((file) => `mkdir -p ${dirname(file)}; echo evil > ${file}`);
    at.put("plant.sh", `${plants.join("\n")}\necho new > plain; find sub -type f`);
    const said = await during("bash plant.sh", () =>
      expect(existsSync(path("plain"))).toBe(false),
    ).finally(() => watcher.kill());
    expect(await watcher.stdout.text()).toBe("");
    expect(said).toContain("sub/.git/config\n");
    expect(said).toContain("Not kept");
    for (const file of planted) expect([file, existsSync(path(file))]).toEqual([file, false]);
    expect(text("plain")).toBe("new\n");
  });

  test.each([
    ["a changed file", "echo theirs > a", () => writeFileSync(path("a"), "mine\n"), "mine\n"],
    ["a removed file", "rm a", () => writeFileSync(path("a"), "mine\n"), "mine\n"],
    ["a removed folder", "rm -r d", () => writeFileSync(path("d/a"), "mine\n"), "before\n"],
    [
      "a file in place of a folder",
      "rm -r d; echo > d",
      () => writeFileSync(path("d/a"), "mine\n"),
      "before\n",
    ],
    ["a replaced file", "rm a; echo theirs > a", () => outside("echo mine > x; mv x a"), "mine\n"],
    ["a moved file", "mv a b", () => writeFileSync(path("a"), "mine\n"), "mine\n"],
    [
      "a folder in place of a file",
      "rm a; mkdir a; echo > a/x",
      () => outside("echo mine > a"),
      "mine\n",
    ],
    ["its mode", "chmod 600 a; echo theirs > a", () => outside("chmod 640 a"), "before\n"],
  ])("%s that somebody else changes stays theirs", async (_, command, work, left) => {
    at.put("a", "before\n");
    at.put("d/a", "before\n");
    at.put("d/b", "before\n");
    const said = await during(`${command}; echo also > other`, work);
    expect(said).toContain("Not taken over");
    expect(text("a")).toBe(left);
    if (left === "before\n" && command.includes("-r d")) expect(text("d/a")).toBe("mine\n");
    expect(text("other")).toBe("also\n");
  });

  test("the command's version of such a file is kept, and named", async () => {
    at.put("a", "before\n");
    at.put("new", "");
    rmSync(path("new"));
    const said = await during("echo theirs > a; echo theirs > new", () =>
      outside("echo mine > a; echo mine > new"),
    );
    expect([text("a"), text("new")]).toEqual(["mine\n", "mine\n"]);
    const folder = /versions are in (\S+)\./.exec(said)?.[1] ?? "";
    const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    expect(kept).toEqual(["theirs\n", "theirs\n"]);
  });

  test("a repository that somebody else changes is not torn", async () => {
    outside(
      "git init -q -b main; git config user.name a; git config user.email a@b; echo 1 > a; git add a; git commit -qm x",
    );
    const said = await during("echo 2 > a; git commit -qam theirs", () =>
      outside("echo n > n; git add n; git commit -qm mine"),
    );
    expect(said).toContain(".git/index");
    expect(
      outside("git log --format=%s; git fsck --no-dangling; git status --short").stdout.toString(),
    ).toBe("mine\nx\n M a\n");
  });

  test("a folder that becomes a symlink is not written through", async () => {
    at.put("sub/deep/a", "before\n");
    at.put("sub/deep/gone", "before\n");
    mkdirSync(join(at.outside, "deep"));
    for (const name of ["a", "gone"]) writeFileSync(join(at.outside, "deep", name), "outside\n");
    const said = await during(
      "echo theirs > sub/deep/a; echo x > sub/deep/new; rm sub/deep/gone",
      () => {
        renameSync(path("sub"), path("old"));
        symlinkSync(at.outside, path("sub"));
      },
    );
    expect(said).toContain("Not taken over");
    expect(readdirSync(join(at.outside, "deep")).sort()).toEqual(["a", "gone"]);
    for (const name of ["a", "gone"])
      expect(readFileSync(join(at.outside, "deep", name), "utf8")).toBe("outside\n");
  });

  test("two write to views of their own, and the one that ends last yields", async () => {
    at.put("a", "before\n");
    at.put("b", "before\n");
    const first = await start("echo first > a; echo first > c; echo waits; sleep 1000");
    await first.shows("waits");
    expect(await run("cat a; echo second > a; echo second > b")).toBe("before");
    first.interrupt();
    expect(await first.said).toContain("Not taken over");
    expect([text("a"), text("b"), text("c")]).toEqual(["second\n", "second\n", "first\n"]);
  });

  test("a repository whose lock git holds outside is left to it", async () => {
    outside("git init -q; git config user.name a; git config user.email a@b");
    at.put("a", "1");
    const said = await during("git add a; echo 1 > b", () => at.put(".git/index.lock", ""));
    expect(said).toContain(".git/index");
    expect([existsSync(path(".git/index")), text("b")]).toEqual([false, "1\n"]);
  });

  test("a file that another program may still write to is left to it", async () => {
    at.put("log", "1\n");
    const writer = Bun.spawn(["bash", "-c", "exec 3>> log; echo open; read -r _; echo 2 >&3"], {
      cwd: at.root,
      stdio: ["pipe", "pipe", "ignore"],
    });
    await writer.stdout.getReader().read();
    const said = await run("echo theirs > log; echo x > other");
    expect(said).toContain("another program has it open and may write to it: log");
    await writer.stdin.end();
    await writer.exited;
    expect([text("log"), text("other")]).toEqual(["1\n2\n", "x\n"]);
    expect(await run("echo 3 >> log; cat log")).toBe("1\n2\n3");
    expect(text("log")).toBe("1\n2\n3\n");
  });

  test("an edit stays", async () => {
    at.put("a", "before\n");
    await at.say("Read", { file_path: "a" });
    const said = await during("echo theirs > a", async () => {
      await at.say("Edit", { file_path: "a", old_string: "before", new_string: "edited" });
    });
    expect(said).toContain("Not taken over");
    expect(text("a")).toBe("edited\n");
  });

  test("one that is sent to the background is taken over when it ends", async () => {
    const sent = Promise.withResolvers<void>();
    const running = await start(
      "echo 1 > made; mkdir .vscode; echo > .vscode/tasks.json; echo waits; sleep 1000",
      {
        background: sent.promise,
      },
    );
    const shell = async () => (await at.box.background.list())[0];
    sent.resolve();
    expect(await running.said).toContain("taken over when it ends");
    const id = (await shell())?.id ?? "";
    const wait = { bash_id: id, filter: "waits", wait: 60 };
    expect(await at.say("BashOutput", wait)).toContain("waits");
    expect(existsSync(path("made"))).toBe(false);
    await at.say("KillShell", { shell_id: id });
    while ((await shell())?.isRunning) await Bun.sleep(2);
    expect(text("made")).toBe("1\n");
    expect((await at.box.settle()).files.map((file) => file.path)).toContain(path("made"));
    expect(await run("echo x > x")).toContain(".vscode/tasks.json");
    expect(existsSync(path(".vscode/tasks.json"))).toBe(false);
  });

  test("what it leaves running ends with it", async () => {
    const said = await run(
      "(setsid env -i bash -c 'while :; do echo x >> late; done' > /dev/null 2>&1 &); echo 1 > a; sleep 0.05",
    );
    expect(said).toContain("was ended");
    const size = statSync(path("late")).size;
    await Bun.sleep(30);
    expect(statSync(path("late")).size).toBe(size);
  });

  test("a server answers in the same line, and the way to keep it is named", async () => {
    const serve = "require(`http`).createServer((q, a) => a.end(`hi`)).listen(8123)";
    at.put("package.json", JSON.stringify({ scripts: { dev: `node -e '${serve}'` } }));
    const said = await run(
      "npm run dev > /dev/null & until curl -s http://localhost:8123; do sleep 0.05; done",
    );
    expect(said).toStartWith("hi\n");
    expect(said).toContain("run_in_background");
  });

  test("the proxy of a rule is nothing that it leaves running", async () => {
    await open({ rules: { allow: ["WebFetch(domain:example.com)"], ask: [], deny: [] } });
    expect(await run("echo x > x")).toBe("(no output)");
  });

  test("where its view cannot be mounted any more, the line runs in the workspace, once", async () => {
    expect(await run("echo 1 >> a")).toBe("(no output)");
    const { spawn } = Bun;
    const broken = (words: string[], ...rest: []) =>
      spawn(
        words.map((word) => word.replace("-t overlay", "-t nothing")),
        ...rest,
      );
    // eslint-disable-next-line no-restricted-syntax
    using _ = spyOn(Bun, "spawn").mockImplementation(broken as typeof Bun.spawn);
    const said = await run("echo 2 >> a; cat a");
    expect(said).toStartWith("1\n2\n[The copy-on-write view of the workspace failed (mount: ");
    expect(await run("echo 3 >> a")).toBe("(no output)");
    expect(text("a")).toBe("1\n2\n3\n");
    await rewind();
    expect(readdirSync(at.root)).toEqual([]);
  });

  test("where there is no room for a view, the line runs in the workspace", async () => {
    at.put("../home/.mini-claude/layers", "");
    expect(await run("echo 2 > a")).toContain("view of the workspace failed");
    expect(text("a")).toBe("2\n");
  });

  test("its own later view begins with what it changed", async () => {
    await run("mkdir -p x/y; cd x/y; echo 1 > z");
    expect(await run("pwd; cat z")).toBe(`${path("x/y")}\n1`);
  });
});

describe.skipIf(!layersHere)("is rewound to the byte", () => {
  const build = JSON.stringify({
    scripts: {
      build: "mkdir -p dist && node -e 'require(`fs`).writeFileSync(`dist/x.js`, `built`)'",
      test: "node --test > report.txt; echo done > coverage.txt",
      gen: "node gen.js",
    },
  });

  beforeEach(() => {
    at.put("package.json", build);
    at.put(".gitignore", "node_modules/\ndist/\ntarget/\n");
    at.put("dist/x.js", "old");
    at.put(
      "gen.js",
      "for (let i = 0; i < 300; i++) require('fs').writeFileSync(`src/g${i}.ts`, `${i}`)",
    );
    for (let name = 0; name < 300; name += 1) at.put(`src/g${name}.ts`, "before\n");
    for (const name of ["p/index.js", "p/bin/run", "q/deep/x.js"])
      at.put(`node_modules/${name}`, name.repeat(5_000));
    at.put("target/debug/app", "app".repeat(20_000));
    at.put("target/small", "x");
    outside(
      "git init -q; chmod 755 node_modules/p/bin/run; ln -s ../p/bin/run node_modules/.run; chmod 700 target",
    );
  });

  test("whatever a command does", async () => {
    const before = contents();
    for (const command of [
      "npm run build",
      "npm run gen",
      "npm test",
      "node -e 'require(`fs`).rmSync(`node_modules`, { recursive: true })'",
      "rm -rf node_modules target dist",
      "rm -rf node_modules/* target/*; echo x > target/new",
      "find . -path ./.git -prune -o -type f -exec rm {} +",
      "mv node_modules modules; mv target/debug target/release",
      "rm -rf node_modules; mkdir node_modules; echo x > node_modules/x",
      "for i in $(seq 400); do echo $i > dist/f$i; done",
      "mkdir -p node_modules/new/deep; for i in $(seq 300); do echo $i > node_modules/new/deep/f$i; done",
      "echo more >> target/debug/app; chmod 555 target/debug",
      "truncate -s 70M large; mkdir d; mv large d",
      "sed -i s/before/after/ src/*.ts; rm src/g7.ts; ln -s g1.ts src/g7.ts",
      "ln gen.js other.js; echo '// x' >> other.js",
    ]) {
      await run(command);
      expect([command, contents()]).not.toEqual([command, before]);
      expect((await planRewind({ undo, redo: [] })).length).toBeGreaterThan(0);
      await rewind();
      expect([command, contents()]).toEqual([command, before]);
    }
  });

  test("what is too large for a checkpoint, and is changed again", async () => {
    const before = contents();
    await run("rm -rf node_modules");
    await run("mkdir -p node_modules/z; echo 1 > node_modules/z/z");
    await run("rm -rf node_modules target");
    await rewind();
    expect(contents()).toBe(before);
  });
});

describe.skipIf(!layersHere)("what is taken over", () => {
  test("has the times, modes, links and attributes that the command gave it", async () => {
    at.put("old", "x");
    await run(
      "touch -d 2001-02-03 old; echo y > new; touch -d 2002-02-02 new; chmod 2750 new; ln -s nowhere link; mkdir -p empty/in; chmod 1777 empty; ln new hard",
    );
    expect(state()).toContain("./empty d 1777");
    expect(state()).toContain("./link l 777 nowhere");
    expect(state()).toContain("./new f 2750");
    expect(statSync(path("old")).mtime.toISOString()).toBe("2001-02-03T00:00:00.000Z");
    expect(statSync(path("new")).mtime.toISOString()).toBe("2002-02-02T00:00:00.000Z");
  });

  test("stays a hard link where all its names are taken over alike, else the result says so", async () => {
    for (const name of ["all", "one", "gone"]) at.put(name, `${name}\n`);
    outside("mkdir d; ln all d/all; ln one d/one; ln gone d/gone; ln gone d/left");
    const said = await run(
      "echo x | tee all > d/all; echo x >> one; mv gone moved; rm d/gone; echo n > n; ln n d/n; chmod 600 n",
    );
    expect(said).toBe(
      "(no output)\n[No longer hard links: moved, one. Other names of the same files keep what was there before.]",
    );
    const inode = (name: string): number => statSync(path(name)).ino;
    expect([inode("all"), inode("n")]).toEqual([inode("d/all"), inode("d/n")]);
    expect([text("d/all"), text("d/one"), text("moved")]).toEqual(["x\n", "one\n", "gone\n"]);
  });

  test("is nothing where nothing changed, whatever was opened to write", async () => {
    at.put("a", "x");
    outside("touch -d 2001-02-03 a");
    const { ino, mtimeMs } = statSync(path("a"));
    await run(
      "node -e 'fs.closeSync(fs.openSync(`a`, `r+`))'; mkdir gone; rmdir gone; echo 1 > t; rm t",
    );
    expect([statSync(path("a")).ino, statSync(path("a")).mtimeMs]).toEqual([ino, mtimeMs]);
    expect([readdirSync(at.root), undo]).toEqual([["a"], []]);
  });

  test("is no pipe and no socket, which are named", async () => {
    at.put("a", "x");
    const said = await run(
      "mkfifo pipe; mkdir d; mkfifo d/inner; rm a; mkfifo a; node -e 'require(`net`).createServer().listen(`sock`, () => process.exit())'; ls sock; echo 1 > d/file",
    );
    for (const name of ["pipe", "d/inner", "a"]) expect(said).toContain(name);
    expect([readdirSync(at.root).sort(), readdirSync(path("d")), text("a")]).toEqual([
      ["a", "d"],
      ["file"],
      "x",
    ]);
  });

  test("is no removal of a pipe, which could not be made again", async () => {
    outside("mkfifo pipe; mkdir d; mkfifo d/inner; echo a > d/a");
    expect(await run("rm pipe; rm -r d; echo x > x")).toMatch(
      /a device: (?:d\/inner, pipe|pipe, d\/inner)\./,
    );
    expect([readdirSync(at.root).sort(), readdirSync(path("d"))]).toEqual([
      ["d", "pipe", "x"],
      ["inner"],
    ]);
  });

  test.each(["-wal", "-journal"])("is no part of a database without the rest: %s", async (end) => {
    at.put("db", "before\n");
    const said = await during(`echo theirs > db; echo theirs > db${end}`, () =>
      writeFileSync(path("db"), "mine\n"),
    );
    expect(said).toContain(`db${end}`);
    expect([readdirSync(at.root), text("db")]).toEqual([["db"], "mine\n"]);
    const writer = Bun.spawn(["bash", "-c", "exec 3>> db; echo open; read -r _"], {
      cwd: at.root,
      stdio: ["pipe", "pipe", "ignore"],
    });
    await writer.stdout.getReader().read();
    expect(await run(`echo theirs > db; echo theirs > db${end}`)).toContain(`db${end}`);
    await writer.stdin.end();
    await writer.exited;
    expect([readdirSync(at.root), text("db")]).toEqual([["db"], "mine\n"]);
    await run(`echo theirs > db; echo theirs > db${end}`);
    at.put("db", "changed\n");
    await rewind();
    expect(readdirSync(at.root).sort()).toEqual(["db", `db${end}`]);
  });

  test("is no removal of what other programs run, without a question", async () => {
    at.put("sub/.vscode/tasks.json", "{}");
    at.put("sub/code", "x");
    const said = await run("rm -rf sub; mkdir sub; echo y > sub/other");
    expect(said).toContain("sub/.vscode");
    expect([
      text("sub/.vscode/tasks.json"),
      text("sub/other"),
      existsSync(path("sub/code")),
    ]).toEqual(["{}", "y\n", false]);
  });

  test("is what the user says yes to", async () => {
    at.put(".envrc", "old\n");
    const before = contents();
    const ask = async () => ({ allow: true as const, scope: "once" as const });
    await run("mkdir -p deep/.vscode; echo 1 > deep/.vscode/tasks.json; echo 2 > CLAUDE.md", {
      ask,
    });
    expect([text("deep/.vscode/tasks.json"), text("CLAUDE.md")]).toEqual(["1\n", "2\n"]);
    await rewind();
    expect(contents()).toBe(before);
  });

  test("leaves nothing of the overlay behind", async () => {
    at.put("d/a", "x");
    await run("rm -r d; mkdir d; echo y > d/b; mkdir -p e/f; echo z > e/f/g; mv e/f e/h");
    const layers = join(at.root, "../home/.mini-claude/layers");
    await at.box.close();
    expect(readdirSync(layers).flatMap((name) => readdirSync(join(layers, name)))).toEqual([]);
    const marks = outside("getfattr -R -d -m - . 2>&1 | grep overlay");
    expect(marks.stdout.toString()).toBe("");
    expect(outside("find . -type c").stdout.toString()).toBe("");
  });

  test("is what a commit made, and git need not read all files again", async () => {
    for (let name = 0; name < 50; name += 1) at.put(`f${name}`, `${name}`);
    outside(
      "git init -q; git config user.name a; git config user.email a@b; touch -d 2020-01-01 f*; git add -A; git commit -qm x; sleep 0.01; git status",
    );
    const trace =
      "GIT_TRACE2_PERF=1 git status 2>&1 | grep -c 'read_directory\\|hash' ; git status --short";
    expect(
      await run(`${trace}; echo y > f1; git commit -qam second; git status --short`),
    ).not.toContain("M f");
    expect(
      outside("git log --format=%s; git status --short; git fsck 2>&1").stdout.toString(),
    ).toBe("second\nx\n");
  });
});

test.skipIf(!layersHere)(
  "what a session that was killed did not take over is kept, and told",
  async () => {
    const mark = crypto.randomUUID();
    const file = JSON.stringify(join(import.meta.dir, "../room.ts"));
    const code = `
    const { quietRun, room } = await import(${file});
    const at = await room({ mode: "auto", workspace: ${JSON.stringify(at.root)}, ownFolder: ${JSON.stringify(join(at.root, "../home/.mini-claude"))} });
    const input = { command: "mkdir d; echo 1 > d/made; echo waits; sleep 1000 # ${mark}" };
    const call = { type: "tool_use", id: "c", name: "Bash", input };
    await at.box.review(call);
    const progress = (tail) => tail.includes("waits") && process.kill(process.pid, "SIGKILL");
    await at.box.run(call, { ...quietRun(), progress });
  `;
    const child = Bun.spawn([process.execPath, "-e", code], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    const isRunning = () => outside(`pgrep -f "echo waits; sleep 1000 # ${mark}" | grep -vx $$`);
    while (isRunning().stdout.toString() !== "") await Bun.sleep(10);
    expect(readdirSync(at.root)).toEqual([]);
    const said = await run("echo x > x");
    const folder = /they are in (\S+)\./.exec(said)?.[1] ?? "";
    expect(said).toContain(`a command in ${at.root} were`);
    expect(outside(`cat ${folder}/rest/*/upper/d/made`).stdout.toString()).toBe("1\n");
    expect(await run("echo y > y")).toBe("(no output)");
  },
);

test.skipIf(!layersHere)(
  "what a session that was killed had not logged is told, and rewound with the next turn",
  async () => {
    at.put("a", "before\n");
    const before = contents();
    const options = {
      mode: "auto",
      workspace: at.root,
      ownFolder: join(at.root, "../home/.mini-claude"),
    };
    const code = `
    const { quietRun, room } = await import(${JSON.stringify(join(import.meta.dir, "../room.ts"))});
    const { Checkpoints } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/log/checkpoints.ts"))});
    const checkpoint = new Checkpoints(${JSON.stringify(saved)});
    const at = await room({ ...${JSON.stringify(options)}, checkpoint });
    const call = { type: "tool_use", id: "c", name: "Bash", input: { command: "echo 1 > a; mkdir d; echo 1 > d/made; echo x > .envrc" } };
    await at.box.review(call);
    const ask = () => process.kill(process.pid, "SIGKILL");
    await at.box.run(call, { ...quietRun(), ask });
  `;
    const child = Bun.spawn([process.execPath, "-e", code], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    expect([text("a"), text("d/made")]).toEqual(["1\n", "1\n"]);
    const { files, told } = await at.box.settle();
    const folder = /what was not taken over is in (\S+)\.$/.exec(told.join())?.[1] ?? "";
    expect(outside(`cat ${folder}/*`).stdout.toString()).toBe("x\n");
    await at.box.logged();
    expect(await at.box.settle()).toEqual({ files: [], told: [] });
    undo.push({ id: "e", parent: null, at: "", type: "checkpoint", toolUse: "background", files });
    await rewind();
    expect(contents()).toBe(before);
  },
);

test.skipIf(!layersHere)("what could not be logged is returned again until it is", async () => {
  at.put("a", "before");
  const call = {
    type: "tool_use",
    id: "c",
    name: "Bash",
    input: { command: "echo 1 > a" },
  } as const;
  await at.box.review(call);
  const { checkpoint = [] } = await at.box.run(call, quietRun());
  expect(checkpoint.map((change) => change.path)).toEqual([path("a")]);
  expect((await at.box.settle()).files).toEqual(checkpoint);
  expect((await at.box.settle()).files).toEqual(checkpoint);
  await at.box.logged();
  expect((await at.box.settle()).files).toEqual([]);
});

test.skipIf(!layersHere)("on another file system it is copied", async () => {
  const shm = "/dev/shm";
  if (!existsSync(shm) || lstatSync(shm).dev === lstatSync(at.root).dev) return;
  const own = join(shm, `mini-claude-${crypto.randomUUID()}`);
  try {
    await open({ ownFolder: own });
    at.put("src/a", "a\n");
    at.put("node_modules/p/x", "x".repeat(60_000));
    const before = contents();
    await run(
      "echo b > src/a; mkdir -p n/m; echo 1 > n/m/x; chmod 600 n/m/x; ln -s x n/m/l; ln n/m/x n/m/y; ln n/m/x z; touch -d 2001-02-03 n/m/x; rm -rf src/gone",
    );
    const inodes = ["n/m/x", "n/m/y", "z"].map((name) => statSync(path(name)).ino);
    expect(new Set(inodes).size).toBe(1);
    expect(statSync(path("n/m/x")).mtime.toISOString()).toBe("2001-02-03T00:00:00.000Z");
    expect(contents()).toContain("./n/m/x f 600");
    const asked: string[] = [];
    const ask = async ({ detail }: { detail: string }) => {
      asked.push(detail);
      return { allow: false as const };
    };
    await run("rm -rf node_modules", { ask });
    expect(asked.join()).toContain("node_modules (too large");
    expect(existsSync(path("node_modules/p/x"))).toBe(true);
    await rewind();
    expect(contents()).toBe(before);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
});
