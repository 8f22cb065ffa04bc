/** Servers over standard input and output, over HTTP and through a given transport. */

import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { afterEach, expect, spyOn, test } from "bun:test";
import { blockText } from "../../../src/protocol/block.ts";
import { contextFact } from "../../../src/protocol/context-fact.ts";
import { ToolError } from "../../../src/tools/tool.ts";
import { groupExists } from "../../../src/base/signals.ts";
import type { Hub } from "../../../src/extensions/mcp/hub.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { freeCut, sessionWith } from "../../facts.ts";
import { startHttpServer } from "./http-server.ts";
import { memoryTransport } from "./memory-transport.ts";
import {
  closeHubs,
  connected,
  openHub,
  runTool,
  setup,
  shellServer,
  stdioServer,
  textOf,
} from "./open-hub.ts";

afterEach(closeHubs);

/** Within this process. */
async function small(more: Parameters<typeof openHub>[1] = {}): Promise<Hub> {
  const hub = await connected([setup("small", { type: "sdk" })], more);
  await hub.connect("small", memoryTransport());
  return hub;
}
const only = (hub: Hub) => hub.servers[0];
const web = ({ url }: { url: string }, headers = {}) =>
  setup("web", { type: "http", url, headers });

test("over standard input and output: tools, prompts, resources, instructions, error output", async () => {
  const hub = await connected([setup("small", stdioServer())]);
  const server = only(hub);
  expect(server?.state).toBe("connected");
  expect(server?.lists.tools.map(({ definition }) => definition.name)).toContain(
    "mcp__small__echo",
  );
  expect(server?.lists.prompts).toEqual([
    { name: "greet", description: "A greeting.", arguments: [{ name: "who", required: false }] },
  ]);
  expect(server?.lists.resources.map(({ uri }) => uri)).toEqual(["note://a"]);
  expect(server?.lists.instructions).toBe("Use it sparingly.");
  expect(server?.stderr).toEqual(["small server is here"]);
  expect(await textOf(hub, "mcp__small__echo", { text: "hi" })).toBe("hi");
});

/** In the wording of servers that use the official library. */
const noSession = (): Response => {
  const error = { code: -32_000, message: "Bad Request: No valid session ID provided" };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
};

test.each([
  ["says 404", {}],
  ["says 400", { unknown: noSession }],
])(
  "a server over HTTP that restarted and %s is connected again by the next call",
  async (_, how) => {
    const http = startHttpServer({ ...how, token: "secret" });
    const hub = await connected([web(http, { authorization: "Bearer ${TOKEN:-secret}" })]);
    http.restart();
    expect(await textOf(hub, "mcp__web__echo", { text: "hi" })).toBe("hi");
    await http.stop();
    await expect(runTool(hub, "mcp__web__echo")).rejects.toThrow(/The MCP server web failed/);
  },
);

test.each(["server/discover", "notifications/initialized"])(
  "a server over HTTP that never answers %s can be closed, and is given up in time",
  async (method) => {
    const http = startHttpServer({ ignores: method });
    const closed = openHub([web(http)]);
    closed.start();
    await http.ignored;
    await closed.close();
    await only(closed)?.connect();
    expect(only(closed)?.state).toBe("closed");
    const hub = await connected([web(http)], {
      timeouts: { connect: 100, call: 20_000, wait: 20_000 },
    });
    expect(only(hub)?.state).toBe("failed");
    await http.stop();
  },
);

test.each([0, 1, 2, 3])(
  "a server that never answers is closed at once, also while it is only about to be connected (%d)",
  async (ticks) => {
    const http = startHttpServer({ ignores: "server/discover" });
    const hub = openHub([web(http)], { timeouts: { connect: 2 ** 30, call: 1, wait: 1 } });
    hub.start();
    for (let tick = 0; tick < ticks; tick++) await new Promise((resolve) => setImmediate(resolve));
    await hub.close();
    expect(only(hub)?.state).toBe("closed");
    await http.stop();
  },
);

test.each([1, 2])("a server that writes without end leaves time for others (%d)", async (to) => {
  const note = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}';
  const script = `trap '' TERM; yes '${note}' >&${to}`;
  const hub = openHub([setup("loud", shellServer(script))]);
  hub.start();
  await Bun.sleep(100);
  await hub.close();
  expect(only(hub)?.state).toBe("closed");
});

test("a finished turn does not wait for any server", async () => {
  const hub = openHub([setup("slow", stdioServer("--silent"))]);
  const call = runTool(hub, "mcp__slow__echo", {}, AbortSignal.abort());
  await expect(call).rejects.toThrow(ToolError);
  expect(only(hub)?.state).toBe("connecting");
});

test("a server that ends before it has answered fails with the last that it wrote", async () => {
  const script = "echo $$ >&2; echo last words >&2; exec sleep 600";
  const hub = openHub([setup("short", shellServer(script))]);
  const connecting = only(hub)?.connect();
  while ((only(hub)?.stderr.length ?? 0) < 2) await Bun.sleep(5);
  process.kill(Number(only(hub)?.stderr[0]));
  await connecting;
  expect(only(hub)?.problems[0]).toEndWith(" Last error output: last words");
});

test("a server that is not over HTTP is first asked to initialize: an older one may hang otherwise", async () => {
  const transport = memoryTransport();
  const { send } = transport;
  const methods: unknown[] = [];
  transport.send = (message) => {
    if ("method" in message) methods.push(message.method);
    return send(message);
  };
  const hub = await connected([setup("local", { type: "sdk" })]);
  await hub.connect("local", transport);
  expect(methods[0]).toBe("initialize");
});

test("a server that is reconnected has not failed in between", async () => {
  const hub = await small();
  const reports: string[] = [];
  hub.reportFailures((sentence) => reports.push(sentence));
  await hub.server("small").reconnect();
  expect(only(hub)?.state).toBe("connected");
  expect(reports).toEqual([]);
});

test("a call may take its time, counted anew with each report of progress, which is shown", async () => {
  const { Client } = await import("@modelcontextprotocol/client");
  const call = spyOn(Client.prototype, "request");
  const transport = memoryTransport();
  const { send } = transport;
  transport.send = async (message) => {
    const { method, params } = Object(message);
    for (const more of [{ progress: 1 }, { progress: 2, total: 3, message: "files" }]) {
      const news = { progressToken: params?._meta?.progressToken, ...more };
      if (method === "tools/call")
        transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/progress", params: news });
    }
    await new Promise(setImmediate);
    await send(message);
  };
  const hub = await connected([setup("local", { type: "sdk" })]);
  await hub.connect("local", transport);
  const said: string[] = [];
  const run = {
    signal: new AbortController().signal,
    progress: (words: string) => said.push(words),
  };
  await hub.server("local").callTool("mcp__local__echo", { text: "hi" }, run);
  expect(said.map((words) => words.trim())).toEqual(["1", "2 of 3 files"]);
  expect(call.mock.calls.at(-1)?.[2]).toMatchObject({
    timeout: 20_000,
    resetTimeoutOnProgress: true,
  });
  call.mockRestore();
});

test("a server that is reconnected while it still lists its tools is connected in the end", async () => {
  const transport = memoryTransport();
  const { send } = transport;
  const hub = await connected([setup("local", { type: "sdk" })]);
  let again: Promise<unknown> | null = null;
  transport.send = (message) => {
    if ("method" in message && message.method === "tools/list")
      again ??= hub.server("local").reconnect();
    return send(message);
  };
  await hub.connect("local", transport);
  await again;
  expect(again).not.toBeNull();
  expect(only(hub)?.state).toBe("connected");
});

test("what cannot be started, and a variable that is not set, fail with a sentence, reported once", async () => {
  const http = startHttpServer({ token: "secret" });
  const hub = openHub([
    setup("gone", { type: "stdio", command: "/nonexistent/server", args: [], env: {} }),
    setup("unset", { type: "stdio", command: "${NOT_SET_HERE}", args: [], env: {} }),
    web(http),
  ]);
  const reports: string[] = [];
  hub.reportFailures((sentence) => reports.push(sentence));
  hub.start();
  await hub.settled(20_000);
  await hub.server("gone").reconnect();
  expect(hub.servers.map(({ state }) => state)).toEqual(["failed", "failed", "login"]);
  expect(reports.toSorted()).toEqual([
    expect.stringMatching(/^MCP server gone: ENOENT: no such file or directory/),
    "MCP server unset: The variable NOT_SET_HERE is not set.",
    "MCP server web: Log in with: mini-claude mcp login web",
  ]);
  await expect(runTool(hub, "mcp__gone__x")).rejects.toThrow(
    /The MCP server gone is not available/,
  );
  await http.stop();
});

test("the first request waits for servers until half a second after their start", async () => {
  const hub = openHub([]);
  const settled = spyOn(hub, "settled").mockResolvedValue();
  hub.start();
  await hub.ready();
  await hub.ready();
  expect(settled.mock.calls).toEqual([[500]]);
});

test("a silent server delays nothing: not the first request, not a search, and a call not for long", async () => {
  const timeouts = { connect: 60_000, call: 60_000, wait: 50 };
  const hub = openHub([setup("slow", stdioServer("--silent"))], { timeouts });
  await hub.ready();
  expect(only(hub)?.state).toBe("connecting");
  expect(hub.firstDefinitions(1_000_000)).toEqual([]);
  expect(hub.announcements([])).toMatchObject([{ kind: "tools", title: "MCP servers" }]);
  const known = contextFact("tools", "MCP server slow", "its tools");
  expect(hub.announcements([{ id: "e1", parent: null, at: "", ...known }])).toEqual([]);
  await expect(runTool(hub, "mcp__slow__echo")).rejects.toThrow(/It is still connecting/);
});

test("a server of the project is not started before it is approved", async () => {
  const saved: string[] = [];
  const hub = await connected([setup("small", stdioServer(), { isApproved: false })], {
    saveApproval: (name) => saved.push(name),
  });
  expect(only(hub)?.state).toBe("unapproved");
  expect(hub.tools()).toEqual([]);
  await expect(runTool(hub, "mcp__small__echo")).rejects.toThrow(ToolError);
  await hub.approve("small");
  expect(only(hub)?.state).toBe("connected");
  expect(saved).toEqual(["small"]);
});

test("definitions are sent from the start while they are small together", async () => {
  const hub = await small();
  const tools = hub.firstDefinitions(100_000);
  expect(tools.map(({ name }) => name)).toContain("mcp__small__echo");
  expect(hub.firstDefinitions(500)).toEqual([]);
  const told = (path: Entry[]): string =>
    blockText(hub.announcements(path).flatMap(({ content }) => content));
  expect(told([])).toContain("mcp__small__echo");
  const began: Entry = { id: "e1", parent: null, at: "", ...sessionWith(), tools: [...tools] };
  expect(told([began])).toContain("Use it sparingly.");
  expect(told([began])).not.toContain("mcp__small__echo");
  const facts: Entry[] = hub
    .announcements([])
    .map((fact, at) => ({ id: `e${at + 2}`, parent: "e1", at: "", ...fact }));
  expect(told(facts)).toBe("");
  const span = { from: "e1", to: "e2" };
  const cut = freeCut({ tier: "summary", changes: [{ kind: "cover", span, text: "x" }] });
  const summarized: Entry[] = [...facts, { id: "e9", parent: "e2", at: "", ...cut }];
  expect(told(summarized)).toContain("mcp__small__echo");
  await expect(runTool(hub, "mcp__small__die")).rejects.toThrow(ToolError);
  expect(told(facts)).toBe("Not available now.");
  expect(told([])).toBe("");
});

test("a tool that a rule denies is neither sent nor found", async () => {
  const hub = await small({
    denied: ["mcp__small__echo", "mcp__small__fail(x)"],
  });
  expect(hub.findTool("mcp__small__fail")).toBeDefined();
  expect(hub.tools().map(({ name }) => name)).not.toContain("mcp__small__echo");
  const { content } = await runTool(hub, "ToolSearch", { query: "select:mcp__small__echo" });
  expect(blockText(content)).toContain("No tool matches");
});

test("every kind of content, cleaned", async () => {
  const { content } = await runTool(await small(), "mcp__small__mixed");
  expect(content.map((block) => (block.type === "text" ? block.text : block.type))).toEqual([
    "words red",
    "image",
    "[Audio (audio/wav) that cannot be shown.]",
    "[Resource note://b: b, text/plain]",
    "[Resource note://a]\ninside",
    "[Content of type “video” was left out: it cannot be read.]",
    "[Content of type “image” was left out: it cannot be read.]",
  ]);
});

test("structured content is used if there is no text; a failure is an error", async () => {
  const hub = await small();
  expect(await textOf(hub, "mcp__small__structured")).toBe('{"answer":42}');
  expect(await runTool(hub, "mcp__small__fail")).toMatchObject({ isError: true });
});

test("hostile definitions are cleaned, or left out where they are too large", async () => {
  const server = only(await small());
  const evil = server?.lists.tools.find(({ remote }) => remote === "evil");
  expect(evil?.definition.description).toBe("Hides things<U+202E>.");
  expect(server?.lists.tools.some(({ remote }) => remote === "huge")).toBe(false);
  expect(server?.problems).toEqual(["huge: its schema is too large"]);
});

test("a server gets only its own environment", async () => {
  const config = { ...stdioServer(), env: { OWN: "${HERE:-there}" } };
  const hub = await connected([setup("small", config)], {
    env: { PATH: process.env["PATH"] ?? "", HERE: "here" },
  });
  const env = JSON.parse(await textOf(hub, "mcp__small__env"));
  expect(env).toMatchObject({ OWN: "here", HERE: "here" });
  expect(env.HOME).toBeUndefined();
});

test("a list that changed is read again", async () => {
  const hub = await small();
  const changed = Promise.withResolvers<void>();
  hub.subscribe(changed.resolve);
  await runTool(hub, "mcp__small__grow");
  await changed.promise;
  expect(hub.tools().map(({ name }) => name)).toContain("mcp__small__grown");
  expect(blockText(hub.announcements([]).flatMap(({ content }) => content))).toContain(
    "mcp__small__grown",
  );
});

test("a server that died is started again by the next call", async () => {
  const hub = await connected([setup("small", stdioServer())]);
  await expect(runTool(hub, "mcp__small__die")).rejects.toThrow(ToolError);
  expect(only(hub)?.problems).toEqual(["The connection was closed: small server is here."]);
  expect(await textOf(hub, "mcp__small__echo", { text: "again" })).toBe("again");
  expect(only(hub)?.stderr).toEqual(["small server is here"]);
});

test("a call that hangs ends with the turn", async () => {
  const hub = await small();
  const stop = new AbortController();
  const call = runTool(hub, "mcp__small__hang", {}, stop.signal);
  stop.abort();
  await expect(call).rejects.toThrow(ToolError);
});

test("closing ends a server and what it started", async () => {
  const { command, args } = stdioServer();
  const script = `sleep 1000 & echo $$ >&2; exec ${command} ${args[0]}`;
  const hub = await connected([setup("small", shellServer(script))]);
  const pid = Number(only(hub)?.stderr[0]);
  expect(groupExists(pid)).toBe(true);
  await hub.close();
  // The group may be there until its zombies are reaped.
  while (groupExists(pid)) await Bun.sleep(1);
  expect(only(hub)?.state).toBe("closed");
});

test("what is no address of a server fails with a sentence", async () => {
  const urls = ["nonsense", "ftp://a.b", "file:///etc/passwd", "https://"];
  const hub = await connected(
    urls.map((url, at) => setup(`web${at}`, { type: "http", url, headers: {} })),
  );
  for (const { problems } of hub.servers)
    expect(problems).toEqual(["Its address must look like https://example.com/mcp."]);
});

test("a server that asks for the root folder gets it", async () => {
  const transport = memoryTransport();
  const answered = Promise.withResolvers<JSONRPCMessage>();
  const { send } = transport;
  transport.send = async (message) =>
    "id" in message && message.id === "roots" ? answered.resolve(message) : send(message);
  const hub = openHub([setup("local", { type: "sdk" })], { cwd: "/work/a b" });
  await hub.connect("local", transport);
  transport.onmessage?.({ jsonrpc: "2.0", id: "roots", method: "roots/list" });
  expect(await answered.promise).toMatchObject({
    result: { roots: [{ uri: "file:///work/a%20b", name: "project" }] },
  });
});
