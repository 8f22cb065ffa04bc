/** Nothing that a program outside executes can be written from inside. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { leave, room, type Room } from "../../tools/room.ts";
import { eachPrints } from "../one-command.ts";
import { sandboxHere } from "../sandbox-here.ts";

afterAll(leave);

let at: Room;
let home: string;

/** There is no network. */
const resolve = async () => [];

beforeAll(async () => {
  at = await room({ resolve });
  home = join(at.root, "../home");
});

const put = (file: string, text = "before\n"): string => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

describe.skipIf(!sandboxHere)("a confined command", () => {
  test("changes no cache, store or program in the home", async () => {
    const files = [
      ".bun/install/cache/@t@/x.pile",
      ".npm/_npx/1/node_modules/.bin/x",
      ".deno/bin/deno",
      ".cache/pre-commit/x/run",
      "go/pkg/mod/x/x.go",
    ].map((name) => put(join(home, name)));
    const fresh = (file: string): string => join(dirname(file), "fresh");
    const line = files
      .map((file) => `echo evil > ${file}; echo evil > ${fresh(file)}; echo evil >> ${file}`)
      .join("; ");
    for (const more of ["", "; curl -s http://x.test/"])
      expect(await at.bash(`${line}${more}; echo done`)).toContain("\ndone");
    for (const file of files) {
      expect(readFileSync(file, "utf8")).toBe("before\n");
      expect(existsSync(fresh(file))).toBe(false);
    }
  });

  test("what a project keeps in its caches is its own", async () => {
    await at.bash("echo mine > ~/.npm/x; curl -s http://x.test/; true");
    expect(await at.bash("touch y; cat ~/.npm/x")).toBe("mine");
    const other = await room({ home, childEnv: { PATH: process.env["PATH"] ?? "", HOME: home } });
    expect(await other.bash("touch y; cat ~/.npm/x")).toContain("No such file");
  });

  test("does not change a package cache through hard links", async () => {
    const cached = put(join(home, ".bun/install/cache/x@1/index.js"));
    // As npm, bun, and pnpm put them; folders of a repository may have their own.
    const installed = [
      "node_modules/x",
      "packages/a/node_modules/@scope/x",
      "packages/b/node_modules/.pnpm/x@1/node_modules/x",
      "apps/c/node_modules/.bun/@scope+x@1/node_modules/@scope/x",
    ];
    for (const folder of installed) {
      mkdirSync(join(at.root, folder), { recursive: true });
      for (const name of ["package.json", "index.js"])
        linkSync(cached, join(at.root, folder, name));
    }
    // Links of the repository to its own packages are none into a cache.
    for (let number = 0; number < 40; number += 1)
      symlinkSync("../../d", join(at.root, `packages/a/node_modules/${number}`));
    at.put("evil.js", "evil\n");
    const files = installed.map((folder) => `${folder}/index.js`);
    const lines = [
      ...files.map((file) => `echo evil > ${file}`),
      "echo evil >> node_modules/x/package.json",
      "cp evil.js node_modules/x/index.js",
      "sed -i s/before/evil/ node_modules/x/index.js",
      "mv node_modules old; echo evil > old/x/index.js",
      "truncate -s 0 node_modules/x/index.js",
    ];
    const sees = `cat ${files.join(" ")} | uniq -c`;
    await eachPrints(`${files.length} before`, lines, at.bash, sees);
    expect(readFileSync(cached, "utf8")).toBe("before\n");
    // Packages without links are the project's own.
    const own = dirname(at.put("packages/e/node_modules/y/package.json", "{}"));
    expect(await at.bash(`echo own > ${own}/x; cat ${own}/x`)).toBe("own");
    at.put("packages/a/vite.config.ts", "");
    for (const folder of ["node_modules", "packages/a/node_modules"]) {
      const built = `${folder}/.vite/x`;
      expect(await at.bash(`echo built > ${built}; cat ${built}`)).toBe("built");
    }
  });

  test("leaves git's folder as it is, and hooks in a folder that its settings name", async () => {
    const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: at.root });
    git("init", "-q", "--template=");
    git("config", "core.hooksPath", "hooks");
    at.put("tools/git-hooks/pre-commit", "before\n");
    symlinkSync("tools/git-hooks", join(at.root, "hooks"));
    const lists = "find .git tools -type f -exec md5sum {} + | sort; find .git -type l";
    const read = () => Bun.spawnSync(["sh", "-c", lists], { cwd: at.root }).stdout.toString();
    const before = read();
    const lines = [
      "mv .git old; cp -r old .git; echo evil > .git/config",
      "echo evil > .git/commondir; rm .git/commondir",
      "mkdir .git/hooks; echo evil > .git/hooks/pre-commit",
      "echo evil > .git/info/attributes",
      "echo evil > tools/git-hooks/pre-commit; echo evil > tools/git-hooks/common.sh",
    ];
    const sees = "grep -rl evil .git tools; cat tools/*/pre-commit";
    await eachPrints("before", lines, at.script, sees);
    expect(read()).toBe(before);
    // Git is not led to another folder.
    const said = await at.script("git init -q --bare evil; echo ../evil > .git/commondir\n");
    expect(said).toContain("Removed, as it would lead git elsewhere");
    expect(existsSync(join(at.root, ".git/commondir"))).toBe(false);
  });

  test("too many files to protect are not protected in part", async () => {
    for (let number = 0; number <= 2_000; number += 1)
      mkdirSync(join(at.root, `${number}.code-workspace`));
    expect(await at.bash("bash work.sh")).toContain("too many files");
  });
});
