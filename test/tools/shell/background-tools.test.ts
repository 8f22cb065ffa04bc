import { afterAll, expect, test } from "bun:test";
import { leave, quietRun, room } from "../room.ts";

afterAll(leave);

/** A room in which these commands run in the background. */
async function running(...commands: string[]) {
  const at = await room({ sandbox: "off" });
  const run = (command: string) => at.say("Bash", { command, run_in_background: true });
  for (const command of commands) await run(command);
  return {
    ...at,
    run,
    output: (more = {}) => at.say("BashOutput", { bash_id: "bash_1", wait: 60, ...more }),
    type: (input: string, more = {}) => at.say("BashInput", { bash_id: "bash_1", input, ...more }),
  };
}

test("the output of a background command is filtered by lines", async () => {
  const { put, say, run, output } = await running();
  put("../home/.bashrc", "echo bashrc\n");
  expect(await say("BashOutput", { bash_id: "bash_7" })).toBe(
    "There is no background command bash_7. Known: none.",
  );
  await run("echo alpha; echo beta");
  await run("echo gamma");
  const first = await output({ filter: "^b" });
  expect(first).toEndWith("\nbeta");
  expect(first).not.toMatch(/alpha\n|bashrc/);
  expect(await output({ filter: "^b" })).toEndWith("(no new output)");
  const other = { bash_id: "bash_2", filter: "^b" };
  expect(await output(other)).toEndWith("(no new line matches)");
  expect(await output({ filter: "(" })).toContain("not a valid regular expression");
});

test("the end of a background command is news, unless the model knows of it", async () => {
  const ended: string[] = [];
  const next = Promise.withResolvers<void>();
  const { box, say, run, output, type } = await running();
  box.background.tellEnds(({ title, text }) => {
    ended.push(title, text);
    next.resolve();
  });
  const command = "echo a; echo b; read -r line; echo failed; exit 3";
  let changes = 0;
  const unwatch = box.background.watch(() => (changes += 1));
  await run(command);
  expect(changes).toBe(1);
  unwatch();
  await run("read -r line; exit 4");
  expect(changes).toBe(1);
  const waiting = output({ bash_id: "bash_2" });
  await type("\n", { bash_id: "bash_2" });
  expect(await waiting).toContain("exit code 4");
  const killed = await say("KillShell", { shell_id: "bash_2" });
  expect(killed).toBe("bash_2 ended (exit code 4). It had already ended.");
  await run("sleep 1000");
  await say("KillShell", { shell_id: "bash_3" });
  const input = { bash_id: "bash_1", input: "x\u0004" };
  const call = { type: "tool_use", id: "t", name: "BashInput", input } as const;
  await box.run(call, { ...quietRun(), signal: AbortSignal.abort() });
  await next.promise;
  expect(ended).toEqual([
    `Background command finished: ${command}`,
    "bash_1 ended (exit code 3). Its last output:\na\nb\nfailed",
  ]);
  expect((await box.background.list()).at(-1)).toMatchObject({
    id: "bash_1",
    isRunning: false,
    state: "exit code 3",
    lastLine: "failed",
    bytes: 11,
  });
});

test("BashOutput waits for a line that matches, or for the end", async () => {
  const { say, output, type } = await running(
    "echo starting; sleep 0.2; echo ready; read -r line; exit 7",
  );
  const seen = await output({ filter: "^ready" });
  expect(seen).toContain("bash_1 is running");
  expect(seen).toEndWith("\nready");
  await type("\n");
  expect(await say("TaskOutput", {})).toContain("use BashOutput");
  const last = await say("BashOutput", { task_id: "bash_1", block: true, timeout: 60_000 });
  expect(last).toContain("bash_1 ended (exit code 7).");
});

test("a character of which only a part is written is shown once it is whole", async () => {
  const { output, type } = await running(
    String.raw`printf 'a\340\270'; read -r _; printf '\201\360'; read -r _; printf '\237\230\200\n'; sleep 1000`,
  );
  expect(await output({ filter: "a" })).toEndWith("\na");
  expect(await type("\n")).toEndWith("\nก");
  expect(await type("\n")).toEndWith("\n😀\n");
});

test("of much new output the end is shown, in whole characters, and the rest is named", async () => {
  const { output } = await running("printf 'a\\n%020000d' 0 | sed 's/0/é/g'");
  const [state, gap, shown] = (await output()).split("\n");
  expect(state).toBe("bash_1 ended (exit code 0).");
  expect(gap).toMatch(/^\[23618 earlier bytes are in \/.*\.txt\]$/);
  expect(shown).toBe("é".repeat(8_192));
});

test("a byte that begins no character is shown as such; no wait is none", async () => {
  const { output } = await running(String.raw`printf '\200a'; sleep 1000 &`, "read -r line");
  expect(await output()).toBe(
    "bash_1 ended (exit code 0). Processes that it started still run.\n\uFFFDa",
  );
  expect(await output({ bash_id: "bash_2", wait: false })).toContain("is running");
});

test("text is typed into a running program", async () => {
  const { say, verdict, output, type } = await running(
    "cat; echo over",
    "echo ready; exec sleep 1000",
  );
  const typed = { bash_id: "bash_1", input: "hello\n" };
  expect(await verdict("BashInput", typed)).toBe("ask");
  expect(await type("hello\n")).toContain("hello");
  expect(await say("BashInput", { session_id: "bash_1", chars: "\u0004" })).toContain("over");
  await output();
  expect(await type("x")).toContain("takes no input");
  await output({ bash_id: "bash_2", filter: "ready" });
  await type("\u0003", { bash_id: "bash_2" });
  expect(await output({ bash_id: "bash_2" })).toContain("ended");
  const confined = await room({ mode: "auto" });
  if (!(await confined.box.hasSandbox())) return;
  await confined.bash("cat", { run_in_background: true });
  expect(await confined.verdict("BashInput", typed)).toBe("allow");
});
