/** Rules that restrict reading are about what git and other programs print, too. */

import { chmodSync, cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { PermissionMode } from "../../src/protocol/permission.ts";
import { leave, room, type Room } from "../tools/room.ts";
import { sandboxHere } from "./sandbox-here.ts";

afterAll(leave);

const file = "private/plan.txt";

/** Git's name for its content, which says nothing of the path. */
const blob = "f5fc57c646707fbc3a7ae1dd5d7c29e2f503eddf";

const printing = [
  `awk 'BEGIN { while (("git show HEAD:${file}" | getline l) > 0) print l }'`,
  `python3 -c 'import os; os.system("git show HEAD:${file}")'`,
  `python3 -c "import glob, zlib; [print(zlib.decompress(open(f, 'rb').read())) for f in glob.glob('.git/objects/??/*')]"`,
  "GIT_PAGER=./show.sh git log -1",
  "bash -c ./show.sh",
  "make -f show.mk",
  "git status; bash -c ./show.sh",
  "git add a.txt && make -f show.mk",
];

/** Is copied for each test. */
let repository = "";

beforeAll(async () => {
  const at = await room();
  repository = at.root;
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: at.root });
  git("init", "-q", "--template=");
  at.put("a.txt", "one\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  at.put(file, "secret: plan\n");
  chmodSync(at.put("show.sh", `#!/bin/sh\ngit show HEAD:${file}\n`), 0o755);
  at.put("show.mk", `all:\n\tgit show HEAD:${file}\n`);
  git("add", "-A");
  git("commit", "-qm", "second");
  git("tag", "plan", blob);
  git("config", "user.name", "a");
  git("config", "user.email", "a@b");
  git("branch", "plan-branch");
  git("format-patch", "-1", "-o", "../outside");
});

const forbidding = (allow: readonly string[]) => ({ allow, deny: ["Read(private/**)"] });

async function open(mode: PermissionMode, allow: readonly string[]): Promise<Room> {
  const at = await room({ mode, rules: forbidding(allow) });
  cpSync(repository, at.root, { recursive: true });
  return at;
}

test.each<[PermissionMode, string[]]>([
  ["plan", []],
  ["auto", []],
  // Outside a sandbox it lets any program read the files of git.
  ...(sandboxHere ? [["default", ["Bash"]] satisfies [PermissionMode, string[]]] : []),
])("in mode %s with the rules %p, programs print nothing of it", async (mode, allow) => {
  const at = await open(mode, allow);
  for (const command of printing) {
    if ((await at.verdict("Bash", { command })) !== "allow") continue;
    const said = await at.bash(command);
    expect([command, said]).toEqual([command, expect.not.stringContaining("secret: plan")]);
  }
});

describe.skipIf(!sandboxHere)("git puts what must not be read nowhere else", () => {
  const commands = [
    "git --work-tree=open checkout HEAD -- .",
    "git --git-dir=.git --work-tree=open restore --source=HEAD .",
    "git -c core.worktree=../open checkout HEAD -- .",
    `git update-index --add --cacheinfo 100644,${blob},x && git checkout -- x`,
    `git update-index --add --cacheinfo 100644 ${blob} x && git restore x`,
    `printf '100644 ${blob}\tx\n' | git update-index --index-info && git checkout -- x`,
    `git read-tree --prefix=open/ HEAD && git checkout -- open`,
    "git checkout -q HEAD~1 && git cherry-pick -X subtree=open plan-branch",
    "git checkout -q HEAD~1 && git merge --strategy-option=subtree=open plan-branch",
    "git checkout -q HEAD~1 && git am --directory=open open/patch",
    "git submodule add ./ open/x",
    "git mv p?ivate x",
  ];

  test("in one session", async () => {
    const at = await room({ mode: "auto", rules: forbidding([]) });
    const patch = readFileSync(join(repository, "../outside/0001-second.patch"), "utf8");
    for (const command of commands) {
      for (const name of readdirSync(at.root)) rmSync(join(at.root, name), { recursive: true });
      cpSync(repository, at.root, { recursive: true });
      at.put("open/patch", patch.replace(" plan", ""));
      if ((await at.verdict("Bash", { command })) === "allow") await at.bash(command);
      const copies = readdirSync(at.root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(at.root.length + 1))
        .filter((path) => !/^(?:\.git|private)\//.test(path) && path !== "open/patch")
        .filter((path) => readFileSync(join(at.root, path), "utf8").includes("secret:"));
      expect([command, copies]).toEqual([command, []]);
    }
  });
});

test("without a sandbox, git prints unasked only where no file with secrets is tracked", async () => {
  const at = await room({ sandbox: "off" });
  const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: at.root });
  const words = async () =>
    Promise.all(
      ["git status", "git diff", "git log -p", "git grep KEY"].map(
        async (command) => await at.verdict("Bash", { command }),
      ),
    );
  git("init", "-q");
  at.put("a.ts", "a\n");
  at.put(".env", "KEY=1\n");
  git("add", "a.ts");
  expect(await words()).toEqual(["allow", "allow", "allow", "allow"]);
  git("add", "-f", ".env");
  expect(await words()).toEqual(["allow", "ask", "ask", "ask"]);
});
