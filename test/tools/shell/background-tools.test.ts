import { afterAll, expect, test } from "bun:test";
import { leave, quietRun, room } from "../room.ts";

afterAll(leave);

test("the output of a background command is filtered by lines", async () => {
  const at = await room();
  expect(await at.say("BashOutput", { bash_id: "bash_7" })).toBe(
    "There is no background command bash_7. Known: none.",
  );
  await at.say("Bash", { command: "echo alpha; echo beta; touch done", run_in_background: true });
  while (!(await Bun.file(`${at.root}/done`).exists())) await Bun.sleep(5);
  const first = await at.say("BashOutput", { bash_id: "bash_1", filter: "^b" });
  expect(first).toEndWith("\nbeta");
  expect(first).not.toContain("alpha\n");
  const next = await at.say("BashOutput", { bash_id: "bash_1", filter: "^b" });
  expect(next).toEndWith("(no new output)");
  const wrong = await at.say("BashOutput", { bash_id: "bash_1", filter: "(" });
  expect(wrong).toContain("not a valid regular expression");
});

test("the end of a background command is news, unless the model knows of it", async () => {
  const ended: string[] = [];
  const next = Promise.withResolvers<void>();
  const at = await room({ sandbox: "off" });
  at.box.background.tellEnds(({ title, text }) => {
    ended.push(title, text);
    next.resolve();
  });
  const command = "echo a; echo b; read -r line; echo failed; exit 3";
  let changes = 0;
  const unwatch = at.box.background.watch(() => (changes += 1));
  await at.say("Bash", { command, run_in_background: true });
  expect(changes).toBe(1);
  unwatch();
  await at.say("Bash", { command: "read -r line; exit 4", run_in_background: true });
  expect(changes).toBe(1);
  const waiting = at.say("BashOutput", { bash_id: "bash_2", wait: 60 });
  await at.say("BashInput", { bash_id: "bash_2", input: "\n" });
  expect(await waiting).toContain("exit code 4");
  const killed = await at.say("KillShell", { shell_id: "bash_2" });
  expect(killed).toBe("bash_2 ended (exit code 4). It had already ended.");
  await at.say("Bash", { command: "sleep 1000", run_in_background: true });
  await at.say("KillShell", { shell_id: "bash_3" });
  await at.box.run(
    {
      type: "tool_use",
      id: "t",
      name: "BashInput",
      input: { bash_id: "bash_1", input: "x\u0004" },
    },
    { ...quietRun(), signal: AbortSignal.abort() },
  );
  await next.promise;
  expect(ended).toEqual([
    `Background command finished: ${command}`,
    "bash_1 ended (exit code 3). Its last output:\na\nb\nfailed",
  ]);
  expect((await at.box.background.list()).at(-1)).toMatchObject({
    id: "bash_1",
    isRunning: false,
    state: "exit code 3",
    lastLine: "failed",
    bytes: 11,
  });
});

test("BashOutput waits for a line that matches, or for the end", async () => {
  const at = await room({ sandbox: "off" });
  const command = "echo starting; sleep 0.2; echo ready; read -r line; exit 7";
  await at.say("Bash", { command, run_in_background: true });
  const seen = await at.say("BashOutput", { bash_id: "bash_1", filter: "^ready", wait: 60 });
  expect(seen).toContain("bash_1 is running");
  expect(seen).toEndWith("\nready");
  await at.say("BashInput", { bash_id: "bash_1", input: "\n" });
  expect(await at.say("TaskOutput", {})).toContain("use BashOutput");
  const last = await at.say("BashOutput", { task_id: "bash_1", block: true, timeout: 60_000 });
  expect(last).toContain("bash_1 ended (exit code 7).");
});

test("a character of which only a part is written is shown once it is whole", async () => {
  const at = await room({ sandbox: "off" });
  const command = String.raw`printf 'a\340\270'; read -r _; printf '\201\360\237\230\200\n'; sleep 1000`;
  await at.say("Bash", { command, run_in_background: true });
  expect(await at.say("BashOutput", { bash_id: "bash_1", filter: "a", wait: 60 })).toEndWith("\na");
  expect(await at.say("BashInput", { bash_id: "bash_1", input: "\n" })).toEndWith("\nก😀\n");
});

test("of much new output the end is shown, in whole characters, and the rest is named", async () => {
  const at = await room({ sandbox: "off" });
  const command = "printf 'a\\n%020000d' 0 | sed 's/0/é/g'";
  await at.say("Bash", { command, run_in_background: true });
  const said = await at.say("BashOutput", { bash_id: "bash_1", wait: 60 });
  const [state, gap, shown] = said.split("\n");
  expect(state).toBe("bash_1 ended (exit code 0).");
  expect(gap).toMatch(/^\[23618 earlier bytes are in \/.*\.txt\]$/);
  expect(shown).toBe("é".repeat(8_192));
});

test("a byte that begins no character is shown as such; no wait is none", async () => {
  const at = await room({ sandbox: "off" });
  await at.say("Bash", { command: String.raw`printf '\200a'`, run_in_background: true });
  expect(await at.say("BashOutput", { bash_id: "bash_1", wait: 60 })).toEndWith("\n\uFFFDa");
  await at.say("Bash", { command: "read -r line", run_in_background: true });
  expect(await at.say("BashOutput", { bash_id: "bash_2", wait: false })).toContain("is running");
});

test("text is typed into a running program", async () => {
  const at = await room({ sandbox: "off" });
  await at.say("Bash", { command: "cat; echo over", run_in_background: true });
  const typed = { bash_id: "bash_1", input: "hello\n" };
  expect(await at.verdict("BashInput", typed)).toBe("ask");
  expect(await at.say("BashInput", typed)).toContain("hello");
  expect(await at.say("BashInput", { session_id: "bash_1", chars: "\u0004" })).toContain("over");
  await at.say("BashOutput", { bash_id: "bash_1", wait: 60 });
  expect(await at.say("BashInput", { bash_id: "bash_1", input: "x" })).toContain("takes no input");
  await at.say("Bash", { command: "echo ready; exec sleep 1000", run_in_background: true });
  await at.say("BashOutput", { bash_id: "bash_2", filter: "ready", wait: 60 });
  await at.say("BashInput", { bash_id: "bash_2", input: "\u0003" });
  expect(await at.say("BashOutput", { bash_id: "bash_2", wait: 60 })).toContain("ended");
  const confined = await room({ mode: "auto" });
  if (!(await confined.box.hasSandbox())) return;
  await confined.bash("cat", { run_in_background: true });
  expect(await confined.verdict("BashInput", typed)).toBe("allow");
});
