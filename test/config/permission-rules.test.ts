import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { saveAllowRule, loadSettings } from "../../src/config/settings.ts";
import { testFolder } from "../folder.ts";

const folder = testFolder("rules");

const file = (text?: string): string => {
  const path = join(mkdtempSync(join(folder, "home-")), "settings.json");
  if (text !== undefined) writeFileSync(path, text);
  return path;
};

const load = (path: string, env: Record<string, string> = {}) =>
  loadSettings({ env, file: path, flags: [] });

test("rules come from the settings file; a malformed one is named and the others apply", () => {
  const path = file('{"permissions": {"allow": ["Bash(git diff:*)", "Bash("], "deny": ["Read"]}}');
  const { settings, problems } = load(path);
  expect(settings.permissions).toEqual({
    allow: ["Bash(git diff:*)", "Bash("],
    ask: [],
    deny: ["Read"],
  });
  expect(problems).toEqual([
    `permissions: “Bash(” is not a rule such as Bash(git diff:*); it is ignored.`,
  ]);
});

test("no variable of the environment allows anything", () => {
  const { settings } = load(file(), { MINI_CLAUDE_PERMISSIONS_ALLOW: "Bash" });
  expect(settings.permissions.allow).toEqual([]);
});

test("a rule is added once, and everything else in the file stays", () => {
  const path = file('{"theme": "dark", "permissions": {"deny": ["Bash(rm:*)"]}}');
  saveAllowRule(path, "Bash(npm test)");
  saveAllowRule(path, "Bash(npm test)");
  saveAllowRule(path, "Bash(make)");
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    theme: "dark",
    permissions: { deny: ["Bash(rm:*)"], allow: ["Bash(npm test)", "Bash(make)"] },
  });
  const fresh = file();
  saveAllowRule(fresh, "Read");
  expect(load(fresh).settings.permissions.allow).toEqual(["Read"]);
  expect(statSync(fresh).mode & 0o777).toBe(0o600);
});

test("comments are kept; a file that is not JSON is left as it is", () => {
  const path = file("{ // mine\n}");
  saveAllowRule(path, "Read");
  expect(readFileSync(path, "utf8")).toContain("// mine");
  expect(load(path).settings.permissions.allow).toEqual(["Read"]);
  const broken = file("{ mine }");
  expect(() => saveAllowRule(broken, "Read")).toThrow(broken);
  expect(readFileSync(broken, "utf8")).toBe("{ mine }");
});
