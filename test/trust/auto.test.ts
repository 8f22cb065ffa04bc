/** Mode auto: what is confined and can be undone runs, what leaves the sandbox is asked about. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { leave, room, type Room } from "../tools/room.ts";
import { sandboxHere } from "./sandbox-here.ts";

afterAll(leave);

const verdict = (at: Room, command: string) => at.verdict("Bash", { command });

describe.skipIf(!sandboxHere)("in a sandbox", () => {
  let at: Room;
  beforeEach(async () => {
    at = await room({ mode: "auto" });
    at.put(".env", "KEY=1\n");
  });

  test.each(["GNUmakefile", "tools/lint.js"])(
    "%s, once a hook runs it, is asked about",
    async (path) => {
      at.put(path, "old");
      await at.say("Read", { file_path: path });
      at.box.protect(Promise.resolve([join(at.root, path)]));
      expect(await at.verdict("Write", { file_path: path, content: "new" })).toBe("ask");
      for (const command of [
        `echo new > ${path}`,
        `cp a ${path}`,
        `rm -f ${path}`,
        `ln -sf b ${path}`,
      ])
        expect([command, await verdict(at, command)]).toEqual([command, "ask"]);
    },
  );

  test("nothing runs before it is known what hooks run, or when that cannot be known", async () => {
    at.put("hook.sh", "old");
    await at.say("Read", { file_path: "hook.sh" });
    const found = Promise.withResolvers<string[]>();
    at.box.protect(found.promise);
    const early = at.review("Write", { file_path: "hook.sh", content: "new" });
    found.resolve([join(at.root, "hook.sh")]);
    expect((await early).verdict).toBe("ask");
    at.box.protect(Promise.reject(new Error("too many open files")));
    expect(await at.review("Bash", { command: "ls" })).toMatchObject({
      verdict: "refuse",
      reason: expect.stringContaining("too many open files"),
    });
  });

  test("a large file that git clean would remove is named", async () => {
    Bun.spawnSync(["git", "init", "-q"], { cwd: at.root });
    const isAsked = async () => {
      const review = await at.review("Bash", { command: "git clean -fd" });
      return review.verdict === "ask" && review.ask.warning;
    };
    expect(await isAsked()).toBe(false);
    at.put("large", new Uint8Array(17 * 1024 ** 2));
    expect(await isAsked()).toBe("`large` can't be restored.");
  });

  test("the question names what a command reaches", async () => {
    for (const [command, name] of [
      ["gh pr list", "because of gh (read only), with your account"],
      ["ssh host ls", "because of ssh host, and can"],
      ["git remote update", "because of git remote"],
      ["npm install x", "registry.npmjs.org"],
      ["bundle install", "rubygems.org"],
      ["pip install x", "pypi.org"],
      ["curl https://example.com/x", "example.com"],
      ["nc host 80", "outside"],
    ] as const) {
      const ask = { access: expect.stringContaining(name), rule: expect.any(String) };
      expect(await at.review("Bash", { command })).toMatchObject({ verdict: "ask", ask });
    }
  });

  test("git itself may set the upstream of a new branch", async () => {
    const sha =
      "$(git -c user.name=a -c user.email=a@b commit-tree -m x $(git mktree < /dev/null))";
    const setup = `git init -q; git remote add origin https://example.com/a.git; git update-ref refs/remotes/origin/main ${sha}`;
    Bun.spawnSync(["sh", "-c", setup], { cwd: at.root });
    await at.bash("git checkout -q -b x --track origin/main; true");
    expect(readFileSync(join(at.root, ".git/config"), "utf8")).toContain('[branch "x"]');
  });

  test("a hook of git may not write to files that other programs execute", async () => {
    const setup = "git init -q; git config user.name a; git config user.email a@b";
    Bun.spawnSync(["sh", "-c", setup], { cwd: at.root });
    at.put(".vscode/tasks.json", "{}\n");
    at.put("script", "echo x > .vscode/tasks.json\n");
    at.put(".git/hooks/pre-commit", "#!/bin/sh\nsh ./script\nexit 0\n");
    chmodSync(join(at.root, ".git/hooks/pre-commit"), 0o755);
    await at.bash("git commit -q --allow-empty -m x");
    expect(readFileSync(join(at.root, ".vscode/tasks.json"), "utf8")).toBe("{}\n");
  });
});

describe.skipIf(!sandboxHere)("mode default", () => {
  test("tests and linters run unasked, write nothing in the workspace, see no secrets, and say so", async () => {
    const at = await room();
    at.put(".env", "KEY=hush\n");
    at.put("a.txt", "a\n");
    at.put("Makefile", "test:\n\tcat .en*; cat a.txt; touch new\n");
    expect(await verdict(at, "make test")).toBe("allow");
    const said = await at.bash("make test");
    expect(said).toContain("a\n");
    expect(said).not.toContain("hush");
    expect(said).toContain('writable: ["."]');
    expect(existsSync(join(at.root, "new"))).toBe(false);
    for (const more of [{ writable: ["."] }, { run_in_background: true }])
      expect(await at.review("Bash", { command: "make test", ...more })).toMatchObject({
        verdict: "ask",
      });
  });
});
