import { expect, spyOn, test } from "bun:test";
import os from "node:os";
import { pathsFor, projectName } from "../../src/config/paths.ts";

test("everything is in one folder, which a variable moves", () => {
  const { root, projectSessions, settings } = pathsFor({ HOME: "/home/me" }, "/work/app");
  expect(root).toBe("/home/me/.mini-claude");
  expect(settings).toBe("/home/me/.mini-claude/settings.json");
  expect(projectSessions).toMatch(/^\/home\/me\/\.mini-claude\/sessions\/work-app-[0-9a-f]{8}$/);
  const moved = pathsFor({ HOME: "/home/me", MINI_CLAUDE_HOME: "/else" }, "/work/app");
  const { instructions, foreignSettings, foreignServers, memory, agents, rules, cwd, ...own } =
    moved;
  for (const path of [...Object.values(own), ...Object.values(memory)])
    expect(path).toStartWith("/else");
  expect(cwd).toBe("/work/app");
  expect(instructions).toContain("/home/me/.claude/CLAUDE.md");
  expect(agents).toEqual(["/home/me/.claude/agents", "/else/agents"]);
  expect(rules).toEqual(["/home/me/.claude/rules", "/else/rules"]);
  expect(foreignServers).toBe("/home/me/.claude.json");
  expect(foreignSettings).toEqual(["/home/me/.claude/settings.json"]);
  expect(pathsFor({ MINI_CLAUDE_HOME: "rel" }, "/work").root).toBe("/work/rel");
});

test("a user without a home is told to set HOME", () => {
  using _ = spyOn(os, "homedir").mockImplementation(() => {
    throw new Error("uv_os_homedir");
  });
  expect(() => pathsFor({}, "/work")).toThrow("set HOME to a folder");
});

test("a project's name is readable, unique, and safe as a file name", () => {
  expect(projectName("/a/b c/ü..x")).toMatch(/^b_c-_..x-[0-9a-f]{8}$/);
  expect(projectName("/")).toMatch(/^root-[0-9a-f]{8}$/);
  expect(projectName("/a/b-c")).not.toBe(projectName("/a-b/c"));
  expect(projectName(`/${"x".repeat(300)}`).length).toBeLessThan(80);
  for (const cwd of ["/..", "/../..", "/a/..", "/.\0/\n"]) {
    expect(projectName(cwd)).toMatch(/^[\w.-]+-[0-9a-f]{8}$/);
  }
});
