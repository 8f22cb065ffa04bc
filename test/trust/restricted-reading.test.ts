/** Rules that restrict reading are about what git and other programs print, too. */

import { chmodSync } from "node:fs";
import { afterAll, expect, test } from "bun:test";
import { leave, room } from "../tools/room.ts";
import { sandboxHere } from "./sandbox-here.ts";

afterAll(leave);

test.skipIf(!sandboxHere).each([
  ["auto", []],
  ["default", ["Bash"]],
] as const)("in mode %s with the rules %p, programs print nothing of it", async (mode, allow) => {
  const at = await room({ mode, rules: { allow: [...allow], deny: ["Read(private/**)"] } });
  at.put("private/plan.txt", "secret: plan\n");
  chmodSync(at.put("show.sh", "#!/bin/sh\ngit show HEAD:private/plan.txt\n"), 0o755);
  at.put("show.mk", "all:\n\tgit show HEAD:private/plan.txt\n");
  const commit = "git add -A && git -c user.name=a -c user.email=a@b commit -qm first";
  Bun.spawnSync(["sh", "-c", `git init -q && ${commit}`], { cwd: at.root });
  for (const command of [
    `python3 -c "import glob, zlib; [print(zlib.decompress(open(f, 'rb').read())) for f in glob.glob('.git/objects/??/*')]"`,
    "bash -c ./show.sh",
    "make -f show.mk",
  ]) {
    expect([command, await at.verdict("Bash", { command })]).toEqual([command, "allow"]);
    expect(await at.bash(command)).not.toContain("secret: plan");
  }
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
