/** An editor, simulated with the protocol's own client, works with the program over stdio. */

import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientContext,
  type NewSessionRequest,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { spawnInProcess } from "../../in-process.ts";
import { stdioServer } from "../../extensions/mcp/open-hub.ts";
import { call, say, type Answer } from "../../fake-api/index.ts";
import { png } from "../../fake-api/png.ts";
import { openProgram, startScouting } from "../program.ts";

const { box, api, keys } = await openProgram("acp");

type Editor = {
  agent: ClientContext;
  updates: SessionUpdate[];
  asked: RequestPermissionRequest[];
  kinds(): string[];
  kill(signal: NodeJS.Signals): void;
};

type EditorOptions = {
  answers?: Answer[];
  /** Another model than the one that gives the answers. */
  url?: string;
  /** The option that the user chooses; absent: the user never answers. */
  choice?: string;
  flags?: string[];
  /** How the program ends. */
  code?: number;
};

/** Starts the program, initializes it, and lets `work` talk to it. */
async function withEditor(
  options: EditorOptions,
  work: (editor: Editor) => Promise<void>,
): Promise<void> {
  const { answers = [], url = api.url, choice, flags = [], code = 0 } = options;
  api.next(...answers);
  const child = spawnInProcess(box, ["acp", ...flags], { env: keys(url) });
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const kinds = () => updates.map(({ sessionUpdate }) => sessionUpdate);
  const app = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      asked.push(params);
      if (choice !== undefined) return { outcome: { outcome: "selected", optionId: choice } };
      const { promise, resolve } = Promise.withResolvers<{ outcome: { outcome: "cancelled" } }>();
      signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } }));
      return promise;
    });
  const output = new WritableStream<Uint8Array>({
    write: (chunk) => child.stdin.write(chunk),
  });
  const connection = app.connectWith(ndJsonStream(output, child.stdout), async (agent) => {
    const initialized = await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
    });
    expect(initialized).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "mini-claude" },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
      },
      authMethods: [],
    });
    await work({ agent, updates, asked, kinds, kill: (signal) => child.kill(signal) });
  });
  // A program that is killed closes its connection first.
  await (code === 0 ? connection : connection.catch(() => undefined));
  await child.stdin.end();
  expect(await child.exited).toBe(code);
}

const readText = (updates: readonly SessionUpdate[]): string =>
  updates
    .map((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
        ? update.content.text
        : "",
    )
    .join("");

const newSession = (agent: ClientContext, more: Partial<NewSessionRequest> = {}) =>
  agent.request(methods.agent.session.new, { cwd: box.project, mcpServers: [], ...more });

const load = (agent: ClientContext, sessionId: string) =>
  agent.request(methods.agent.session.load, { sessionId, cwd: box.project, mcpServers: [] });

const ask = (agent: ClientContext, sessionId: string, text: string) =>
  agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });

const ended = { stopReason: "end_turn" } as const;

test("a prompt: its text streams in, a call with its place, the result, the plan, the meter", async () => {
  await Bun.write(join(box.project, "notes.txt"), "one\n");
  const todos = [{ content: "Read the notes", status: "completed" }];
  const answers: Answer[] = [
    {
      content: [
        { type: "text", text: "Reading." },
        call("Read", { file_path: "notes.txt" }),
        call("TodoWrite", { todos }),
      ],
    },
    say("One line."),
  ];
  await withEditor({ answers }, async ({ agent, updates, kinds }) => {
    const { sessionId, modes } = await newSession(agent);
    expect(modes).toMatchObject({ currentModeId: "default" });
    expect(await ask(agent, sessionId, "go")).toEqual(ended);
    const rest = kinds().filter((kind) => kind !== "available_commands_update");
    expect(rest.length).toBe(kinds().length - 1);
    expect(rest.filter((kind, index) => kind !== rest[index - 1]).join()).toMatch(
      /^agent_message_chunk,tool_call,(plan,tool_call_update|tool_call_update,plan),agent_message_chunk,usage_update$/,
    );
    expect(readText(updates)).toBe("Reading.One line.");
    expect(updates).toContainEqual({
      sessionUpdate: "tool_call",
      toolCallId: expect.any(String),
      title: "Read notes.txt",
      name: "Read",
      kind: "read",
      status: "pending",
      rawInput: { file_path: "notes.txt" },
      locations: [{ path: join(box.project, "notes.txt") }],
    });
    expect(updates).toContainEqual({
      sessionUpdate: "plan",
      entries: [{ content: "Read the notes", status: "completed", priority: "medium" }],
    });
    expect(updates.at(-1)).toMatchObject({ size: 1_000_000, cost: { currency: "USD" } });
  });
});

test("an edit is shown as a diff and asked about; what is chosen counts", async () => {
  const write = (name: string) => call("Write", { file_path: name, content: "new\n" });
  const answers = [{ content: [write("a.txt")] }, { content: [write("b.txt")] }, say("Done.")];
  await withEditor({ answers, choice: "session" }, async ({ agent, asked, updates }) => {
    const { sessionId } = await newSession(agent);
    await ask(agent, sessionId, "go");
    expect(asked).toMatchObject([
      {
        sessionId,
        toolCall: {
          kind: "edit",
          content: [{ type: "diff", path: join(box.project, "a.txt"), newText: "new\n" }],
        },
        options: [
          { kind: "allow_once" },
          { kind: "allow_always" },
          { kind: "allow_always" },
          { kind: "reject_once" },
        ],
      },
    ]);
    const done = updates.filter((update) => update.sessionUpdate === "tool_call_update");
    // The diff stays as it was shown.
    expect(done).toMatchObject([{ status: "completed" }, { status: "completed" }]);
    expect(JSON.stringify(done)).not.toContain('"content"');
  });
  expect(await Bun.file(join(box.project, "b.txt")).text()).toBe("new\n");
});

test("cancel ends the turn while it waits for an answer; the session lives on", async () => {
  const answers = [{ content: [call("Bash", { command: "touch no" })] }, say("Back.")];
  await withEditor({ answers }, async ({ agent, asked, updates }) => {
    const { sessionId } = await newSession(agent);
    const turn = ask(agent, sessionId, "go");
    while (asked.length === 0) await Bun.sleep(5);
    expect(asked[0]?.toolCall).toMatchObject({
      title: "Run a command",
      content: [{ content: { text: "touch no" } }],
    });
    await agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(updates.at(-2)).toMatchObject({ sessionUpdate: "tool_call_update", status: "failed" });
    expect(await ask(agent, sessionId, "still there?")).toEqual(ended);
  });
});

test("files and images of the editor reach the model; a mode set in the editor applies", async () => {
  const answers = [
    { content: [call("Write", { file_path: "plan.txt", content: "x" })] },
    say("No."),
  ];
  await withEditor({ answers }, async ({ agent, updates }) => {
    const { sessionId } = await newSession(agent);
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: "plan" });
    const uri = `file://${box.project}/notes.txt`;
    const { data } = png(1).source;
    await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "Look at" },
        { type: "resource_link", name: "notes.txt", uri },
        { type: "resource", resource: { uri, text: "one", mimeType: "text/plain" } },
        { type: "image", data, mimeType: "image/png" },
        { type: "image", data, mimeType: "image/bmp" },
        { type: "resource", resource: { uri, blob: data, mimeType: "text/x-odd" } },
        { type: "audio", data, mimeType: "audio/wav" },
        { type: "resource_link", name: "page", uri: "https://a.example/page" },
      ],
    });
    expect(updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "plan" });
    const sent = JSON.stringify(api.bodies.at(-1)?.messages);
    const file = `${box.project}/notes.txt`;
    for (const part of [
      `"@${file}"`,
      JSON.stringify(`<file path="${file}">\none\n</file>`),
      "[An attachment of type “image/bmp” was left out.]",
      "[An attachment of type “text/x-odd” was left out.]",
      "[A block of type “audio” was left out: it is not supported.]",
      '"@https://a.example/page"',
      "Plan mode",
    ])
      expect(sent).toContain(part);
    expect(sent.split(data)).toHaveLength(2);
  });
});

test("a question is answered with one of its options", async () => {
  const options = [{ label: "Red", description: "like rust" }, { label: "Blue" }];
  const questions = [{ question: "Which sail?", header: "Sail", multiSelect: false, options }];
  const answers = [{ content: [call("AskUserQuestion", { questions })] }, say("Blue it is.")];
  await withEditor({ answers, choice: "1" }, async ({ agent, asked }) => {
    const { sessionId } = await newSession(agent);
    await ask(agent, sessionId, "go");
    expect(asked[0]?.options).toEqual([
      { optionId: "0", name: "Red: like rust", kind: "allow_once" },
      { optionId: "1", name: "Blue", kind: "allow_once" },
      { optionId: "no", name: "Do not answer", kind: "reject_once" },
    ]);
    const sent = JSON.stringify(api.bodies.at(-1)?.messages.at(-1));
    expect([sent.includes("Blue"), sent.includes("Red")]).toEqual([true, false]);
  });
});

test("servers and folders of the editor belong to its session; a limit ends the turn", async () => {
  const [other, third] = ["other", "third"].map((name) => join(box.root, name, "far.txt"));
  for (const file of [other, third]) await Bun.write(file!, `of ${file}\n`);
  const { command, args = [] } = stdioServer();
  const docs = { name: "docs", command, args, env: [{ name: "SAIL", value: "red" }] };
  const read = (file_path?: string) => call("Read", { file_path });
  const calls = [call("mcp__docs__env", {}), read(other), read(third)];
  const flags = ["--allowedTools=mcp__docs", "--max-turns=2", `--add-dir=${dirname(third!)}`];
  const answers = [{ content: calls }, { content: [call("Glob", { pattern: "*" })] }];
  await withEditor({ answers, flags, choice: "no" }, async ({ agent, updates, asked }) => {
    const more = { additionalDirectories: [dirname(other!)], mcpServers: [docs] };
    const { sessionId } = await newSession(agent, more);
    expect(await ask(agent, sessionId, "go")).toEqual({ stopReason: "max_turn_requests" });
    const told = JSON.stringify(updates);
    for (const part of ["SAIL", `of ${other}`, `of ${third}`, '"kind":"other"'])
      expect(told).toContain(part);
    expect(asked).toEqual([]);
  });
});

test("the editor chooses the model and its effort, for the next turn", async () => {
  await withEditor({ answers: [say("Hello.")] }, async ({ agent }) => {
    const { sessionId, configOptions } = await newSession(agent);
    expect(configOptions).toMatchObject([
      { id: "model", category: "model", currentValue: "claude-sonnet-5-5" },
      { id: "effort", category: "thought_level", currentValue: "default" },
    ]);
    const set = (configId: string, value: string) =>
      agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value });
    await set("model", "claude-opus-5-5");
    expect(await set("effort", "low")).toMatchObject({
      configOptions: [{ currentValue: "claude-opus-5-5" }, { currentValue: "low" }],
    });
    await expect(set("effort", "none at all")).rejects.toThrow(/effort cannot be/);
    expect(await ask(agent, sessionId, "hi")).toEqual(ended);
    expect(api.requests.at(-1)?.body).toMatchObject({
      model: "claude-opus-5-5",
      output_config: { effort: "low" },
    });
  });
});

test("a session is listed, loaded with all that happened once an earlier process has left it, compacted and resumed", async () => {
  const long = "word ".repeat(8_000);
  let id = "";
  await withEditor({ answers: [say(long), say("Short.")] }, async ({ agent, updates }) => {
    id = (await newSession(agent)).sessionId;
    await ask(agent, id, "Write at length");
    // The editor was reloaded, its process was not.
    await load(agent, id);
    await ask(agent, id, "And briefly");
    expect(readText(updates)).toBe(`${long}${long}Short.`);
  });
  const [log = ""] = await Array.fromAsync(new Bun.Glob(`sessions/*/${id}.jsonl`).scan(box.home));
  await using earlier = Bun.spawn(["sleep", "600"], { stdio: ["ignore", "ignore", "ignore"] });
  const holder = { pid: earlier.pid, started: "" };
  await Bun.write(join(box.home, `${log}.lock`), JSON.stringify(holder));
  const summary = say("<summary>They wrote.</summary>");
  await withEditor({ answers: [summary] }, async ({ agent, updates, kinds }) => {
    const loading = load(agent, id);
    // Answered while the session cannot be loaded yet.
    const { sessions } = await agent.request(methods.agent.session.list, { cwd: box.project });
    expect(sessions).toContainEqual(
      expect.objectContaining({ sessionId: id, cwd: box.project, title: "Write at length" }),
    );
    expect(updates).toEqual([]);
    earlier.kill();
    await loading;
    const replayed = kinds().filter((kind) => kind.endsWith("_chunk"));
    const turn = ["user_message_chunk", "agent_message_chunk"];
    expect(replayed).toEqual([...turn, ...turn]);
    expect(kinds()).toContain("usage_update");
    expect(await ask(agent, id, "/compact the plot")).toEqual(ended);
    expect(JSON.stringify(updates)).toContain("Context compacted (summary): ");
  });
  await withEditor({ answers: [say("Back.")] }, async ({ agent, updates }) => {
    const again = { sessionId: id, cwd: box.project, mcpServers: [] };
    await agent.request(methods.agent.session.resume, again);
    await ask(agent, id, "and?");
    // Nothing of before is told again.
    expect(readText(updates)).toBe("Back.");
    expect(JSON.stringify(api.bodies.at(-1)?.messages)).toContain("They wrote.");
  });
});

test("two sessions work side by side, prompts of one in turn", async () => {
  const answers = [say("First."), say("Second."), say("Third."), say("Fourth.")];
  await withEditor({ answers }, async ({ agent, updates }) => {
    const [one, two] = [await newSession(agent), await newSession(agent)];
    expect(one.sessionId).not.toBe(two.sessionId);
    const turns = [ask(agent, one.sessionId, "go"), ask(agent, two.sessionId, "go")];
    expect(await Promise.all(turns)).toEqual([ended, ended]);
    expect(["First.Second.", "Second.First."]).toContain(readText(updates));
    // In one session, one after the other.
    const more = ["and?", "and then?"].map((text) => ask(agent, one.sessionId, text));
    expect(await Promise.all(more)).toEqual([ended, ended]);
    expect(readText(updates)).toEndWith("Third.Fourth.");
    await agent.request(methods.agent.session.delete, { sessionId: two.sessionId });
    const { sessions } = await agent.request(methods.agent.session.list, {});
    const ids = sessions.map(({ sessionId }) => sessionId);
    expect(ids).toContain(one.sessionId);
    expect(ids).not.toContain(two.sessionId);
    await agent.request(methods.agent.session.close, { sessionId: one.sessionId });
    await expect(ask(agent, one.sessionId, "go")).rejects.toThrow(/no open session/);
  });
});

test("what fails is an error with a sentence", async () => {
  const answers = [{ status: 400, message: "the model is asleep" }];
  await withEditor({ answers }, async ({ agent }) => {
    const { sessionId } = await newSession(agent);
    await expect(ask(agent, sessionId, "go")).rejects.toThrow(/asleep/);
    await expect(ask(agent, "none", "go")).rejects.toThrow(/There is no open session none/);
    const setMode = { sessionId, modeId: "yolo" };
    await expect(agent.request(methods.agent.session.setMode, setMode)).rejects.toThrow(/no mode/);
    await expect(load(agent, "none")).rejects.toThrow(/no session/i);
  });
});

test("SIGTERM ends what runs and keeps its result", async () => {
  const command = "printf %s%s be gun; sleep 56";
  const answers: Answer[] = [{ content: [call("Bash", { command })] }];
  const flags = ["--permission-mode=bypass"];
  let session = "";
  const options = { answers, flags, code: 143 };
  await withEditor(options, async ({ agent, updates, kill }) => {
    const { sessionId } = await newSession(agent);
    session = sessionId;
    const asked = ask(agent, sessionId, "go").catch(() => undefined);
    while (!JSON.stringify(updates).includes("begun")) await Bun.sleep(20);
    kill("SIGTERM");
    await asked;
  });
  const files = await Array.fromAsync(new Bun.Glob(`sessions/*/${session}.jsonl*`).scan(box.home));
  expect(files).toHaveLength(1);
  const log = await Bun.file(join(box.home, files[0] ?? "")).text();
  expect(log.split("\n").find((line) => line.includes('"type":"result"'))).toContain("begun");
});

test("a subagent in the background asks in the editor, and its report begins a turn there", async () => {
  const other = startScouting(Promise.resolve(), "general-purpose");
  await withEditor({ url: other.url, choice: "no" }, async ({ agent, updates, asked }) => {
    const { sessionId } = await newSession(agent);
    await ask(agent, sessionId, "please go");
    while (!readText(updates).includes("It reported.")) await Bun.sleep(5);
    expect(readText(updates)).toBe("It works in the background.It reported.");
    expect(asked).toMatchObject([
      { toolCall: { title: expect.stringContaining("general-purpose: "), kind: "execute" } },
    ]);
  });
  await other.stop();
});
