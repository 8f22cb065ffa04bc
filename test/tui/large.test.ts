/** A line of ten megabytes: pasted, answered, printed by a tool. The screen goes on taking keys. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { start } from "./pty.ts";

const program = join(import.meta.dir, "scripted-screen.ts");

test("ten megabytes in a line, pasted, streamed and printed, leave a screen that takes keys", async () => {
  const pty = start([process.execPath, program, "{}"], { cols: 80, rows: 16, patienceMs: 15_000 });
  await pty.waitFor("❯ Ask");
  await pty.paste("x".repeat(10_000_000));
  await pty.waitFor("[Pasted #1, 10,000,000 characters]");
  await pty.type("!");
  await pty.waitFor("characters]!");
  await pty.press("ctrl+c");
  await pty.type("blow 10000000\r");
  await pty.waitFor((now) => now.includes("Bash blow") && /❯ Ask/.test(now));
  await pty.type("after it");
  await pty.waitFor("❯ after it");
  // What was drawn is a few screens, not what was said.
  expect(pty.written()).toBeLessThan(1_000_000);
  await pty.close();
}, 30_000);
