/** The start screen and `/status` of the real program. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { cli, awaitResult } from "../../bin.ts";
import { program } from "../program.ts";

const on = await program("parser");
afterAll(on.remove);

test("an empty session shows folder, branch, instructions and the last session", async () => {
  const { folder, env } = on;
  const author = ["-c", "user.name=a", "-c", "user.email=a@b"];
  await Bun.$`git init --quiet --initial-branch main`.cwd(folder);
  await Bun.$`git ${author} commit --quiet --allow-empty -m first`.cwd(folder);
  await Bun.write(join(folder, "AGENTS.md"), "Use tabs.\n");
  const first = { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const;
  await awaitResult(Bun.spawn([cli, "-p", "--trust", "list the files"], first));
  const pty = await on.open({ cols: 100, rows: 30 });
  const screen = await pty.waitFor(
    (now) => now.includes("1 file changed") && now.includes("AGENTS.md") && now.includes("Last"),
  );
  expect(screen).toMatch(/mini-claude \d+\.\d+\.\d+ +offline · 28k tokens/);
  expect(screen).toMatch(/~\/parser {3}main, 1 file changed +AGENTS\.md/);
  expect(screen).toMatch(/Last here +list the files · (just now|1 minute ago) · 1 turn/);

  await pty.type("/status\r");
  const status = await pty.waitFor("Permissions");
  expect(status).toMatch(/Folder +~\/parser/);
  expect(status).toMatch(/Git +main, 1 file changed/);
  expect(status).toMatch(/Log +~\/home\/sessions\//);
  await pty.press("escape");
  await pty.waitFor((now) => !now.includes("Permissions"));
  await pty.type("list the files\r");
  await pty.waitFor((now) => !now.includes("Last here") && /❯ Ask/.test(now));
  await pty.close();
});
