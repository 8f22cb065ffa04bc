import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerConfig } from "../../../src/extensions/mcp/config.ts";
import { serverFiles, stateFile } from "../../../src/extensions/mcp/sources.ts";

const made: string[] = [];
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true })));

const config: ServerConfig = { type: "stdio", command: "x", args: [], env: {} };

function open(user: Record<string, unknown> = {}) {
  const root = mkdtempSync(join(tmpdir(), "mcp-files-"));
  made.push(root);
  const settings = join(root, "settings.json");
  const state = stateFile(join(root, "mcp.json"));
  const files = serverFiles({ settings, user, root, state });
  const json = (name: string): unknown => JSON.parse(readFileSync(join(root, name), "utf8"));
  return { root, state, files, json };
}

test("each scope has its file, whose other content is kept", () => {
  const { root, state, files, json } = open();
  writeFileSync(join(root, ".mcp.json"), '{ "version": 1, "mcpServers": { "a": {} } } // ours');
  files.add("b", "project", config);
  expect(json(".mcp.json")).toEqual({ version: 1, mcpServers: { a: {}, b: config } });
  files.add("c", "user", config);
  expect(json("settings.json")).toEqual({ mcpServers: { c: config } });
  files.add("d", "local", config);
  expect(state.localServers(root)).toEqual({ d: config });
});

test("a server is added once, and removed where it is", () => {
  const { files, json } = open({ both: {} });
  files.add("both", "project", config);
  expect(() => files.add("both", "project", config)).toThrow("both already exists");
  expect(() => files.remove("both", null)).toThrow("several scopes (project, user)");
  files.remove("both", "project");
  expect(json(".mcp.json")).toEqual({ mcpServers: {} });
  expect(() => files.remove("none", null)).toThrow("There is no MCP server none.");
});

test("the file that was changed is named, and what is in one scope alone needs no scope", () => {
  const { root, files, state } = open({ mine: {} });
  expect(files.add("a", "project", config)).toBe(join(root, ".mcp.json"));
  expect(files.add("b", "local", config)).toBe("your own servers of this project");
  expect(files.remove("mine", null)).toBe(join(root, "settings.json"));
  expect(files.remove("b", null)).toBe("your own servers of this project");
  expect(state.localServers(root)).toEqual({});
  expect(() => files.remove("a", "local")).toThrow("There is no MCP server a.");
});

test("a symlink in the project is not followed, and a file that is not JSON is not replaced", () => {
  const { root, files } = open();
  const target = join(root, "elsewhere");
  symlinkSync(target, join(root, ".mcp.json"));
  expect(() => files.add("a", "project", config)).toThrow("is not a regular file");
  expect(existsSync(target)).toBe(false);
  rmSync(join(root, ".mcp.json"));
  writeFileSync(join(root, ".mcp.json"), "not JSON");
  expect(() => files.add("a", "project", config)).toThrow("is not a JSON object");
  expect(readFileSync(join(root, ".mcp.json"), "utf8")).toBe("not JSON");
});
