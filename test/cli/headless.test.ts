/** `mini-claude -p`: the real program without a terminal. */

import { afterAll, expect, test } from "bun:test";
import { resultOf, sandbox } from "../bin.ts";

const box = await sandbox("headless");
afterAll(box.remove);

test("a prompt on the command line does not wait for standard input that stays silent", async () => {
  const child = box.spawn(["-p", "what can you do?"], { stdin: "pipe" });
  const { code, out, err } = await resultOf(child);
  expect(code).toBe(0);
  expect(out).toContain("offline");
  expect(err).toContain("Nothing came on standard input");
}, 20_000);

test("standard input follows the prompt, and is the prompt where there is none", async () => {
  const both = await box.run(["-p", "--output-format", "events", "explain"], {
    stdin: "piped words",
  });
  expect(both.out).toContain("explain\\n\\npiped words");
  const only = await box.run(["--output-format", "events"], { stdin: "what can you do?" });
  expect(only.code).toBe(0);
  expect(only.out).toContain("what can you do?");
  const none = await box.run(["-p"], { stdin: " \n" });
  expect(none).toMatchObject({ code: 2, out: "" });
  expect(none.err).toContain("-p needs a prompt");
});

test("a reader that leaves early ends the run without a word", async () => {
  const child = box.spawn(["-p", "--output-format", "events", "what can you do?"], {
    stdin: "ignore",
  });
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  const [code, err] = await Promise.all([child.exited, child.stderr.text()]);
  expect([0, 130]).toContain(code);
  expect(err).not.toMatch(/EPIPE|\bat /);
});

test("a permission mode that does not exist ends the start and names those that do", async () => {
  const { code, err } = await box.run(["-p", "--permission-mode", "plna", "hello"]);
  expect(code).toBe(2);
  expect(err).toBe(
    "mini-claude: --permission-mode must be one of default, accept-edits, plan, bypass, dont-ask, not plna; did you mean plan?\n",
  );
});
