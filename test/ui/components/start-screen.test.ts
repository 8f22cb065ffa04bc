/** The start screen and `/status` of the real program. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { program } from "../program.ts";

const on = await program("parser");
afterAll(on.remove);

test("an empty session shows folder, branch, instructions and the last session", async () => {
  const { folder } = on;
  const author = ["-c", "user.name=a", "-c", "user.email=a@b"];
  await Bun.$`git init --quiet --initial-branch main`.cwd(folder);
  await Bun.$`git ${author} commit --quiet --allow-empty -m first`.cwd(folder);
  await Bun.write(join(folder, "AGENTS.md"), "Use tabs.\n");
  const first = await on.open({ args: ["list the files"] });
  await first.waitFor(/file here[^]*❯ Ask/);
  await first.close();
  const pty = await on.open({ cols: 100, rows: 30 });
  const screen = await pty.waitFor(
    (now) => now.includes("1 file changed") && now.includes("AGENTS.md") && now.includes("Last"),
  );
  expect(screen).toMatch(/mini-claude \d+\.\d+\.\d+ +offline · 28k tokens/);
  expect(screen).toMatch(/\/parser {3}main, 1 file changed +AGENTS\.md/);
  expect(screen).toMatch(/Last here +list the files · (just now|1 minute ago) · 1 turn/);

  const status = await pty.send("/status", "Permissions");
  expect(status).toMatch(/Folder +\S+\/parser/);
  expect(status).toMatch(/Git +main, 1 file changed/);
  expect(status).toMatch(/Log +\S+\/home\/sessions\//);
  await pty.hit("escape", (now) => !now.includes("Permissions"));
  await pty.send("list the files", (now) => !now.includes("Last here") && /❯ Ask/.test(now));
});
