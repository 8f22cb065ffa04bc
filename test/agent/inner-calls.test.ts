import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { blockText } from "../../src/protocol/block.ts";
import type { Answer } from "../../src/protocol/command.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { call, say } from "../fake-api/index.ts";
import { openedRuns, prompt, turn } from "../run/opened.ts";
import { sandboxHere } from "../trust/sandbox-here.ts";
import { of } from "./harness.ts";

const runs = openedRuns("inner-calls");
/** Scripts are offered only where they can be confined. */
const here = test.skipIf(!sandboxHere);

type Options = Parameters<typeof runs.open>[2] & {
  on?(event: AgentEvent): Parameters<Awaited<ReturnType<typeof runs.open>>["send"]>[0] | null;
};

/** A turn that runs this script in a permission mode; `on` replies to events. */
async function runScript(mode: string, code: string, { on, ...options }: Options = {}) {
  const words = "alpha needle\n".repeat(3_000);
  await runs.write({ "project/a.txt": words, "project/b.txt": "beta\n" });
  const script = { content: [call("Script", { code }, "outer")] };
  const opened = await runs.open(["--permission-mode", mode], [script, say("done")], options);
  await turn(opened, prompt("go"), (event) => {
    const reply = on?.(event);
    if (reply) opened.send(reply);
  });
  const path = [...opened.log.path];
  await opened.close();
  return {
    path,
    steps: of(path, "step"),
    result: blockText(of(path, "result")[0]?.content ?? []),
    exists: (name: string) => existsSync(`${runs.cwd}/${name}`),
  };
}

here("each inner call is an entry, and the model sees only what the script prints", async () => {
  const seen: string[] = [];
  const hear =
    (event: string) =>
    async ({ tool_name }: { tool_name: string }) => (seen.push(`${event} ${tool_name}`), {});
  const { path, steps } = await runScript(
    "bypass",
    `
    const texts = await Promise.all(["a.txt", "b.txt"].map((name) => read(name)));
    await edit({ file_path: "b.txt", old_string: "beta", new_string: "gamma" });
    try { await bash("false-program") } catch {}
    console.log(texts.length);
  `,
    {
      addHooks(hooks) {
        for (const event of ["PreToolUse", "PostToolUse"] as const)
          hooks.register(event, undefined, hear(event), { source: "settings", name: "h" });
      },
    },
  );
  expect(steps.map(({ tool, outer, isError }) => [tool, outer, isError ?? false])).toEqual([
    ["Read", "outer", false],
    ["Read", "outer", false],
    ["Edit", "outer", false],
    ["Bash", "outer", true],
  ]);
  for (const { ms } of steps) expect(ms).toBeWithin(0, 600_000);
  expect(await Bun.file(`${runs.cwd}/b.txt`).text()).toBe("gamma\n");
  expect(seen).toContain("PreToolUse Edit");
  expect(seen).toContain("PostToolUse Edit");
  const sent = JSON.stringify(runs.sent()?.messages);
  expect(sent).toContain('"2"');
  expect(sent).not.toContain("needle");
  const types = path.map(({ type }) => type);
  expect(types.lastIndexOf("step")).toBeLessThan(types.indexOf("result"));
  const files = of(path, "checkpoint").flatMap((entry) => entry.files.map((file) => file.path));
  expect(files).toEqual([`${runs.cwd}/b.txt`]);
});

here(
  "inner calls are asked about one at a time, in their order, and one that is denied throws",
  async () => {
    const asked: unknown[] = [];
    const code = `
    const names = ["1", "2", "3"];
    const made = await Promise.allSettled(names.map((name) => write({ file_path: name, content: "x" })));
    console.log(made[0].reason.message);
  `;
    const { steps, result, exists } = await runScript("default", code, {
      on: (event) => {
        if (event.type !== "ask") return null;
        const isFirst = asked.push(event.ask.input?.["file_path"]) === 1;
        const answer: Answer = isFirst ? { allow: false } : { allow: true, scope: "once" };
        return { type: "answer", id: event.ask.id, answer };
      },
    });
    expect(asked).toEqual(["1", "2", "3"]);
    expect(steps.map(({ input, isError }) => [input["file_path"], isError])).toEqual([
      ["1", true],
      ["2", undefined],
      ["3", undefined],
    ]);
    expect(result).toStartWith("The user denied this call");
    expect(["1", "2"].map(exists)).toEqual([false, true]);
  },
);

here("plan mode lets a script read only", async () => {
  const code = `console.log((await read("a.txt")).length); await write({ file_path: "c.txt", content: "x" })`;
  const { steps } = await runScript("plan", code);
  expect(steps.map(({ tool, isError }) => [tool, isError ?? false])).toEqual([
    ["Read", false],
    ["Write", true],
  ]);
});

here("a stop ends the inner call that runs, and those that wait", async () => {
  const code = `await Promise.all([bash("echo running; sleep 1000"), write({ file_path: "never", content: "x" })])`;
  const { steps, result, exists } = await runScript("bypass", code, {
    on: ({ type }) => (type === "progress" ? { type: "stop" } : null),
  });
  expect(steps.map(({ isError }) => isError)).toEqual([true, true]);
  expect(exists("never")).toBe(false);
  expect(result).toEndWith("It was stopped.]");
});
