import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type AgentEvent,
  type TurnEnd,
  createAgent,
  type AgentOptions,
} from "../../../src/headless/library/agent.ts";
import { call, say, type Answer } from "../../fake-api/index.ts";
import { openProgram } from "../program.ts";

const { box, api, keys } = await openProgram("library-agent");

const open = (answers: Answer[], options: AgentOptions = {}) => {
  api.next(...answers);
  return createAgent({ cwd: box.project, env: { ...box.env, ...keys(api.url) }, ...options });
};

async function all(turn: AsyncGenerator<AgentEvent, TurnEnd>) {
  const events: AgentEvent[] = [];
  for (;;) {
    const { value, done } = await turn.next();
    if (done) return { events, end: value };
    events.push(value);
  }
}

test("a session is prompted, resumed, compacted and undone", async () => {
  const agent = await open([say("word ".repeat(8_000)), say("Short.")]);
  expect((await all(agent.prompt("Write at length"))).end).toEqual({ why: "done" });
  await all(agent.prompt("And briefly"));
  const { usedTokens } = agent.meter();
  await agent.close();

  const resumed = await open([say("<summary>They wrote.</summary>")], { resume: agent.session });
  expect(resumed.meter().usedTokens).toBe(usedTokens);
  await all(resumed.compact());
  const cut = resumed.entries.find(({ type }) => type === "cut");
  expect(resumed.meter().usedTokens).toBeLessThan(usedTokens / 2);
  await all(resumed.undo(cut?.id ?? ""));
  expect(resumed.meter().usedTokens).toBeGreaterThan(usedTokens / 2);
  await resumed.close();
});

test("what needs approval is asked of the program, and denied without one", async () => {
  const write = (name: string) => ({ content: [call("Write", { file_path: name, content: "x" })] });
  const asked: string[] = [];
  const agent = await open([write("yes.txt"), write("denied.txt"), say("Done.")], {
    deny: ["Write(denied.txt)"],
    approve: async ({ tool }) => {
      asked.push(tool);
      return { allow: true, scope: "once" };
    },
  });
  await all(agent.prompt("go"));
  await agent.close();
  const allow = ["Write(free.txt)"];
  const alone = await open([write("no.txt"), write("free.txt"), say("Done.")], { allow });
  await all(alone.prompt("go"));
  await alone.close();
  expect(asked).toEqual(["Write"]);
  const written = ["yes.txt", "denied.txt", "no.txt", "free.txt"].filter((name) =>
    existsSync(join(box.project, name)),
  );
  expect(written).toEqual(["yes.txt", "free.txt"]);
});

test("leaving the loop stops the turn; limits hold; an option that is not valid is named", async () => {
  const agent = await open([{ content: [call("Bash", { command: "sleep 60" })] }, say("Back.")], {
    permissionMode: "bypass",
  });
  for await (const event of agent.prompt("go"))
    if (event.type === "phase" && event.phase === "tools") break;
  expect((await all(agent.prompt("and now?"))).end).toEqual({ why: "done" });
  await agent.close();
  const read = { content: [call("Glob", { pattern: "*" })] };
  const limited = await open([read], { maxTurns: 1 });
  expect((await all(limited.prompt("go"))).end).toMatchObject({ why: "failed", limit: "turns" });
  await limited.close();
  await expect(open([], { mcpServers: { broken: {} } })).rejects.toThrow("broken");
  await expect(open([], { addDirs: ["/no/such"] })).rejects.toThrow("no folder /no/such");
  await expect(open([], { baseUrl: "nowhere" })).rejects.toThrow(/--base-url must look like/);
});
