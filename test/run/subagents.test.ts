/** Subagents of the real program, against the strict fake API. */

import { afterAll, expect, test } from "bun:test";
import { basename, join } from "node:path";
import { sandbox, type Sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";
import { call, say, startFakeApi, type ApiRequest, type Answer } from "../fake-api/index.ts";

let answer: (request: ApiRequest, task: string | null, turn: number) => Answer;

/** The task in a subagent's request. */
function findTask({ system, messages }: ApiRequest): string | null {
  if (!JSON.stringify(system).includes("You work for another agent")) return null;
  const text = JSON.stringify(messages);
  return /TASK [A-Z]+/.exec(text)?.[0] ?? "";
}

const api = startFakeApi({
  responder: (request) => {
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    return answer(request, findTask(request), turn);
  },
});
const boxes: Sandbox[] = [];
afterAll(async () => {
  await api.stop();
  await Promise.all(boxes.map((box) => box.remove()));
});

async function box(): Promise<Sandbox> {
  const made = inProcess(await sandbox("subagents"));
  boxes.push(made);
  return made;
}

/** The sessions of a sandbox, as stored on disk. */
async function readLogs({ home }: Sandbox) {
  const files = await Array.fromAsync(new Bun.Glob("sessions/*/*.jsonl").scan(home));
  return Promise.all(
    files.map(async (file) => {
      const lines = (await Bun.file(join(home, file)).text()).trim().split("\n");
      return { name: basename(file, ".jsonl"), entries: lines.map((line) => JSON.parse(line)) };
    }),
  );
}

const env = { ANTHROPIC_API_KEY: "sk-ant-of-nobody-at-all", ANTHROPIC_BASE_URL: api.url };
const listNames = ({ tools }: ApiRequest): string[] => (tools ?? []).map(({ name }) => name);

test("two subagents work side by side; only their reports come back, and their cost is counted", async () => {
  const project = await box();
  await Bun.write(join(project.project, "till.ts"), "export const till = 1;\n");
  const requests: ApiRequest[] = [];
  answer = (request, task, turn) => {
    requests.push(request);
    if (task !== null && turn === 0) return { content: [call("Read", { file_path: "till.ts" })] };
    if (task !== null) return say(`REPORT of ${task}`);
    if (turn > 0) return say("Both are done.");
    return {
      content: ["A", "B"].map((name) =>
        call("Agent", {
          description: "look",
          prompt: `TASK ${name}`,
          subagent_type: name === "A" ? "explore" : "general-purpose",
        }),
      ),
    };
  };
  const { code, out } = await project.run(["-p", "go"], { env });
  expect([code, out]).toEqual([0, "Both are done.\n"]);
  const last = JSON.stringify(requests.filter((one) => findTask(one) === null).at(-1)?.messages);
  expect(last).toContain("REPORT of TASK A");
  expect(last).toContain("REPORT of TASK B");
  expect(last).not.toContain("export const till");
  const explorer = requests.find((one) => findTask(one) === "TASK A");
  expect(explorer && listNames(explorer)).toEqual(["Bash", "Glob", "Grep", "Read"]);
  expect(JSON.stringify(explorer)).not.toContain("ExitPlanMode");
  const helper = requests.find((one) => findTask(one) === "TASK B");
  expect(helper && listNames(helper)).not.toContain("Agent");
  const logs = await readLogs(project);
  const main = logs.find(({ entries }) => entries[0]?.startedBy === undefined);
  const results = (main?.entries ?? [])
    .filter(({ type }) => type === "result")
    .toSorted((a, b) => (a.subagent.type < b.subagent.type ? -1 : 1));
  expect(results.map(({ subagent }) => [subagent.type, subagent.calls])).toEqual([
    ["Explore", 1],
    ["general-purpose", 1],
  ]);
  const [first] = results;
  const child = logs.find(({ name }) => name === first.subagent.session);
  const usages = child?.entries.flatMap(({ usage }) => (usage ? [usage.output] : [])) ?? [];
  expect(first.subagent.usage.output).toBe(usages.reduce((a, b) => a + b, 0));
  expect(first.subagent.usd).toBeGreaterThan(0);

  const list = await project.run(["sessions", "list"], { env });
  expect(list.out.trim().split("\n")).toHaveLength(1);
  answer = () => say("More.");
  const resumed = await project.run(["-p", "--resume", child?.name ?? "", "and?"], { env });
  expect([resumed.code, resumed.out]).toEqual([0, "More.\n"]);
  const shown = await project.run(["sessions", "show", child?.name ?? ""], { env });
  expect(shown.out).toContain("REPORT of TASK A");
});

test("an agent of the trusted project has its own prompt, tools and model", async () => {
  const project = await box();
  const file = join(project.project, ".claude/agents/reviewer.md");
  const text =
    "---\nname: reviewer\ndescription: reviews\ntools: Read\nmodel: haiku\n---\nBE STRICT.";
  await Bun.write(file, text);
  const seen: ApiRequest[] = [];
  answer = (request, task, turn) => {
    seen.push(request);
    if (task !== null) return say("All good.");
    if (turn > 0) return say("done");
    const input = { description: "review", prompt: "TASK R", subagent_type: "reviewer" };
    return { content: [call("Agent", input)] };
  };
  await project.run(["-p", "--trust", "go"], { env });
  const own = seen.find((request) => findTask(request) !== null);
  expect(JSON.stringify(own?.system)).toContain("BE STRICT.");
  expect(own && listNames(own)).toEqual(["Read"]);
  expect(own?.model).toContain("haiku");
  await project.run(["-p", "go"], { env });
  expect(JSON.stringify(seen.at(-1)?.messages)).toContain("There is no agent “reviewer”");
});

test("an agent has the tools of MCP servers that it names, and its task attaches nothing", async () => {
  const project = await box();
  const small = {
    command: process.execPath,
    args: [join(import.meta.dir, "../extensions/mcp/stdio-server.ts")],
  };
  const requests: ApiRequest[] = [];
  answer = (request, task, turn) => {
    requests.push(request);
    if (task !== null && turn === 0)
      return {
        content: [call("mcp__small__echo", { text: "HEARD" }), call("mcp__small__env", {})],
      };
    if (task !== null || turn > 1) return say("done");
    // Its answer means that the server is connected, which determines the tools that an agent
    // begins with.
    if (turn === 0) return { content: [call("mcp__small__echo", { text: "READY" })] };
    const prompt = "TASK M @small:note://a";
    return { content: [call("Agent", { description: "m", prompt, subagent_type: "echoer" })] };
  };
  const agents = {
    echoer: { description: "echoes", prompt: "Echo.", tools: ["mcp__small__echo"] },
  };
  const flags = [
    `--mcp-config=${JSON.stringify({ mcpServers: { small } })}`,
    `--agents=${JSON.stringify(agents)}`,
    "--allowedTools=mcp__small",
  ];
  const { code } = await project.run(["-p", ...flags, "go"], { env });
  expect(code).toBe(0);
  const [, last] = requests.filter((one) => findTask(one) !== null);
  const told = JSON.stringify(last?.messages);
  expect(told).toContain("HEARD");
  expect(told).toContain("There is no tool mcp__small__env");
  expect(told).not.toContain("the note");
  expect(last && listNames(last)).toEqual(["ToolSearch", "mcp__small__echo"]);
});

test("variables that a SessionStart hook leaves are those of commands, in subagents too", async () => {
  const project = await box();
  const command = 'echo "export MARK=of-the-hook" >> "$CLAUDE_ENV_FILE"';
  const hooks = { SessionStart: [{ hooks: [{ type: "command", command }] }] };
  await Bun.write(join(project.home, "settings.json"), JSON.stringify({ hooks }));
  const print = call("Bash", { command: 'printf "%s" "MARK is $MARK"' });
  const sent: string[] = [];
  answer = (request, task, turn) => {
    sent.push(JSON.stringify(request.messages));
    if (turn === 0 && task !== null) return { content: [print] };
    if (task !== null) return say("done");
    if (turn === 1) return { content: [print] };
    if (turn === 2) return say("done");
    const input = { description: "d", prompt: "TASK V", subagent_type: "general-purpose" };
    return { content: [call("Agent", input)] };
  };
  await project.run(["-p", "--permission-mode", "bypass", "go"], { env });
  expect(sent.filter((one) => one.includes('"MARK is of-the-hook"'))).toHaveLength(2);
});

test("subagents share what is left of the session's budget", async () => {
  const project = await box();
  answer = () => say("hi");
  const json = ["-p", "--output-format", "json"];
  const one = JSON.parse((await project.run([...json, "hi"], { env })).out);
  const names = ["A", "B", "C"];
  let calls = 0;
  answer = (_, task, turn) => {
    calls += 1;
    // Never the same twice, so only the limit ends it.
    if (task !== null) return { content: [call("Glob", { pattern: `${"x".repeat(turn + 1)}*` })] };
    const start = (name: string) => call("Agent", { description: "d", prompt: `TASK ${name}` });
    return turn === 0 ? { content: names.map(start) } : say("done");
  };
  const limit = ["--max-budget-usd", String(one.total_cost_usd * 4)];
  const { out } = await project.run([...json, ...limit, "go"], { env });
  expect(JSON.parse(out).subtype).toBe("error_max_budget_usd");
  // Any of the three can be in the middle of a call when the limit is reached.
  expect(calls).toBeLessThanOrEqual(7);
});
