/** Servers as the screen and clients show them. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mcpService, mcpStatuses, resourceNames } from "../../../src/extensions/mcp/session.ts";
import { memoryTransport } from "./memory-transport.ts";
import { openHub, setup } from "./open-hub.ts";

const hub = openHub([
  setup("small", { type: "sdk" }),
  setup("later", { type: "stdio", command: "true", args: ["--now"], env: {} }),
  setup("theirs", { type: "sdk" }, { scope: "project", isApproved: false }),
]);
beforeAll(() => hub.connect("small", memoryTransport()));
afterAll(() => hub.close());

test("the screen gets where a server is, what it lists, and what is wrong with it", () => {
  const [small, later, theirs] = mcpService(hub).servers();
  expect(small).toMatchObject({ name: "small", scope: "user", state: "connected" });
  expect(small?.tools.map(({ name }) => name)).toContain("mcp__small__echo");
  expect(small?.resources).toBe(hub.servers[0]?.lists.resources.length);
  expect(later).toMatchObject({ state: "waiting", where: "true --now", tools: [], stderr: [] });
  expect(theirs).toMatchObject({ scope: "project", state: "unapproved" });
});

test("a client gets Claude Code's words, and the tools by their own names", () => {
  const [small, later, theirs] = mcpStatuses(hub);
  expect(small).toMatchObject({ name: "small", status: "connected" });
  expect(small?.tools.map(({ name }) => name)).toContain("echo");
  expect(small).not.toHaveProperty("error");
  expect([later?.status, theirs?.status]).toEqual(["pending", "disabled"]);
  expect(mcpStatuses(null)).toEqual([]);
});

test("a failed server says why", async () => {
  const broken = openHub([setup("broken", { type: "sdk" })]);
  await broken.servers[0]?.connect();
  expect(mcpStatuses(broken)).toMatchObject([{ status: "failed", error: expect.any(String) }]);
  expect(mcpStatuses(broken)[0]?.error).not.toBe("");
  await broken.close();
});

test("resources are found by a part of their name, in any case", async () => {
  const [uri = ""] = hub.servers[0]?.lists.resources.map((one) => one.uri) ?? [];
  expect(uri).not.toBe("");
  expect(resourceNames(hub, uri.slice(-4).toUpperCase())).toContain(`small:${uri}`);
  expect(resourceNames(hub, "small:")).toHaveLength(hub.servers[0]?.lists.resources.length ?? 0);
  expect(resourceNames(hub, "no such name")).toEqual([]);
  expect(resourceNames(hub, "")).toEqual([]);
  expect(resourceNames(null, "s")).toEqual([]);
  const loud = openHub([setup("Loud", { type: "sdk" })]);
  await loud.connect("Loud", memoryTransport());
  expect(resourceNames(loud, "loud")).toEqual(["Loud:note://a"]);
  await loud.close();
});

test("at most twenty resources are named", () => {
  const [server] = hub.servers;
  const resources = Array.from({ length: 21 }, (_, n) => ({ uri: `note://${n}` }));
  const lists = { ...server?.lists, resources };
  const many = Object.assign(openHub([]), { servers: [{ name: "many", lists }] });
  expect(resourceNames(many, "note")).toHaveLength(20);
});
