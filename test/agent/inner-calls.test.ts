import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { blockText } from "../../src/protocol/block.ts";
import type { Entry, EntryOf } from "../../src/protocol/entry.ts";
import { systemClock } from "../../src/base/clock.ts";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";
import { prompt } from "./harness.ts";
import { realAgent } from "./real-agent.ts";
import { ScriptedModel, text } from "./scripted.ts";

/** Scripts are offered only where they can be confined. */
const probe = await realAgent({
  model: new ScriptedModel(),
  modelName: "scripted",
  clock: systemClock,
  files: {},
  scripts: true,
});
const here = test.skipIf(!probe.tools.includes("Script"));
await probe.close();

const steps = (entries: readonly Entry[]): EntryOf<"step">[] =>
  entries.filter((entry) => entry.type === "step");

async function runScript(code: string, more: Partial<Parameters<typeof realAgent>[0]> = {}) {
  const call = { type: "tool_use", id: "outer", name: "Script", input: { code } } as const;
  const model = new ScriptedModel({ blocks: [call] }, { blocks: [text("done")] });
  const agent = await realAgent({
    model,
    modelName: "scripted",
    clock: systemClock,
    files: { "a.txt": "alpha needle\n".repeat(3_000), "b.txt": "beta\n" },
    scripts: true,
    ...more,
  });
  return { agent, model };
}

here("each inner call is an entry, and the model sees only what the script prints", async () => {
  const seen: string[] = [];
  const hooks = hooksWith({
    PreToolUse: async ({ tool_name }) => (seen.push(`before ${tool_name}`), {}),
    PostToolUse: async ({ tool_name }) => (seen.push(`after ${tool_name}`), {}),
  });
  const { agent, model } = await runScript(
    `
    const texts = await Promise.all(["a.txt", "b.txt"].map((name) => read(name)));
    await edit({ file_path: "b.txt", old_string: "beta", new_string: "gamma" });
    try { await bash("false-program") } catch {}
    console.log(texts.length);
  `,
    { mode: "bypass", hooks },
  );
  await agent.send(prompt("go"));
  const { path } = agent.log;
  expect(steps(path).map(({ tool, outer, isError }) => [tool, outer, isError ?? false])).toEqual([
    ["Read", "outer", false],
    ["Read", "outer", false],
    ["Edit", "outer", false],
    ["Bash", "outer", true],
  ]);
  expect(await Bun.file(`${agent.folder}/b.txt`).text()).toBe("gamma\n");
  expect(seen).toContain("before Edit");
  expect(seen).toContain("after Edit");
  const sent = JSON.stringify(model.requests.at(-1)?.messages);
  expect(sent).toContain('"2"');
  expect(sent).not.toContain("needle");
  const types = path.map(({ type }) => type);
  expect(types.lastIndexOf("step")).toBeLessThan(types.indexOf("result"));
  const checkpoint = path.find((entry) => entry.type === "checkpoint");
  expect(checkpoint?.files.map((file) => file.path)).toEqual([`${agent.folder}/b.txt`]);
  await agent.close();
});

here(
  "inner calls are asked about one at a time, in their order, and one that is denied throws",
  async () => {
    const { agent } = await runScript(`
    const names = ["1", "2", "3"];
    const made = await Promise.allSettled(names.map((name) => write({ file_path: name, content: "x" })));
    console.log(made[0].reason.message);
  `);
    const asked: unknown[] = [];
    await agent.send(prompt("go"), (event, send) => {
      if (event.type !== "ask") return;
      const isFirst = asked.push(event.ask.input?.["file_path"]) === 1;
      const answer = isFirst
        ? ({ allow: false } as const)
        : ({ allow: true, scope: "once" } as const);
      send({ type: "answer", id: event.ask.id, answer });
    });
    expect(asked).toEqual(["1", "2", "3"]);
    expect(
      steps(agent.log.path).map(({ input, isError }) => [input["file_path"], isError]),
    ).toEqual([
      ["1", true],
      ["2", undefined],
      ["3", undefined],
    ]);
    const result = agent.log.path.find((entry) => entry.type === "result");
    expect(blockText(result?.content ?? [])).toStartWith("The user denied this call");
    const exists = ["1", "2"].map((name) => existsSync(`${agent.folder}/${name}`));
    expect(exists).toEqual([false, true]);
    await agent.close();
  },
);

here("plan mode lets a script read only", async () => {
  const { agent } = await runScript(
    `console.log((await read("a.txt")).length); await write({ file_path: "c.txt", content: "x" })`,
    { mode: "plan" },
  );
  await agent.send(prompt("go"));
  expect(steps(agent.log.path).map(({ tool, isError }) => [tool, isError ?? false])).toEqual([
    ["Read", false],
    ["Write", true],
  ]);
  await agent.close();
});

here("a stop ends the inner call that runs, and those that wait", async () => {
  const { agent } = await runScript(
    `await Promise.all([bash("echo running; sleep 1000"), write({ file_path: "never", content: "x" })])`,
    { mode: "bypass" },
  );
  await agent.send(prompt("go"), (event, send) => {
    if (event.type === "progress") send({ type: "stop" });
  });
  const [running, waiting] = steps(agent.log.path);
  expect([running?.isError, waiting?.isError]).toEqual([true, true]);
  expect(existsSync(`${agent.folder}/never`)).toBe(false);
  const result = agent.log.path.find((entry) => entry.type === "result");
  expect(blockText(result?.content ?? [])).toEndWith("It was stopped.]");
  await agent.close();
});
