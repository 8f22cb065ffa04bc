/** A line of 10 MB, pasted, streamed, or printed by a tool: the screen still responds to keys. */

import { expect, test } from "bun:test";
import { openScripted } from "./scripted.ts";

test("the screen still takes keys after a line of 10 MB is pasted, streamed and printed", async () => {
  const pty = await openScripted({}, { rows: 16 });
  await pty.paste("x".repeat(10_000_000));
  await pty.waitFor(/\[Pasted #\d+, 10,000,000 characters\]/);
  await pty.type("!");
  await pty.waitFor("characters]!");
  await pty.press("ctrl+c");
  await pty.send("blow 10000000", (now) => now.includes("Bash blow") && /❯ Ask/.test(now));
  await pty.type("after it");
  await pty.waitFor("❯ after it");
  // It draws a few screens, not the full text.
  expect(pty.written()).toBeLessThan(1_000_000);
});
