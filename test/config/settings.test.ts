import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "../properties.ts";
import { isRecord } from "../../src/base/guards.ts";
import {
  allSettings,
  defaultSettings,
  loadSettings,
  type RawSettings,
} from "../../src/config/settings.ts";
import { testFolder } from "../folder.ts";

const folder = testFolder("mini-claude-settings");
const file = join(folder, "settings.json");

function load(
  text: string | null,
  env: Record<string, string> = {},
  flags: RawSettings[] = [],
): ReturnType<typeof loadSettings> {
  rmSync(file, { force: true });
  if (text !== null) writeFileSync(file, text);
  return loadSettings({ env, file, flags });
}
const flag = (name: string, value: unknown, source: string): RawSettings => ({
  path: [name],
  value,
  source,
});

const noConsent = { trust: false, enableAllProjectMcpServers: false, enabledMcpjsonServers: [] };

test("the defaults apply when nothing is set", () => {
  const nothing = { sources: new Map(), problems: [], consent: noConsent };
  expect(load(null)).toEqual({ settings: defaultSettings, ...nothing });
});

test("only the command line consents for the user, in values of the right type", () => {
  const given = { trust: true, enableAllProjectMcpServers: true, enabledMcpjsonServers: ["a"] };
  const consentTo = (extra: object) =>
    loadSettings({ env: {}, file: null, extra: JSON.stringify(extra), flags: [] }).consent;
  expect(consentTo(given)).toEqual(given);
  const wrong = { trust: "yes", enableAllProjectMcpServers: 1, enabledMcpjsonServers: "a" };
  expect(consentTo(wrong)).toEqual(noConsent);
  expect(load(JSON.stringify(given)).consent).toEqual(noConsent);
});

test("settings of the command line are added: rules, hooks and servers do not replace those of the file", () => {
  const own = { hooks: { Stop: ["a"] }, mcpServers: { a: { command: "a" } }, model: "file" };
  writeFileSync(file, JSON.stringify({ permissions: { deny: ["Read(.env)"] }, ...own }));
  const extra = JSON.stringify({
    model: "line",
    permissions: { deny: ["Bash(rm:*)"], defaultMode: "acceptEdits" },
    hooks: { Stop: ["b"], PreCompact: ["c"] },
    mcpServers: { b: { command: "b" } },
    spinner: true,
  });
  const { settings, problems } = loadSettings({ env: {}, file, extra, flags: [] });
  expect(settings).toMatchObject({ model: "line", permissionMode: "accept-edits" });
  expect(settings.permissions.deny).toEqual(["Read(.env)", "Bash(rm:*)"]);
  expect(settings.hooks).toEqual({ Stop: ["a", "b"], PreCompact: ["c"] });
  expect(Object.keys(settings.mcpServers)).toEqual(["a", "b"]);
  expect(problems.join()).toContain("unknown setting “spinner”");
  const none = { env: {}, file: null, flags: [] };
  expect(loadSettings({ ...none, extra: file }).settings.model).toBe("file");
  const onLines = '\n  { "model": "line" }\n';
  expect(loadSettings({ ...none, extra: onLines }).settings.model).toBe("line");
  expect(loadSettings(none).settings).toEqual(defaultSettings);
  expect(() => loadSettings({ ...none, extra: "/nowhere.json" })).toThrow("--settings");
});

test("flags override variables, variables the file, the file the defaults; each source is known", () => {
  const text = '{"model": "file", "mouse": false, "windowTokens": 5000}';
  const env = {
    MINI_CLAUDE_MODEL: "env",
    ANTHROPIC_MODEL: "familiar",
    MINI_CLAUDE_WINDOW_TOKENS: "6k",
  };
  const { settings, sources, problems } = load(text, env, [flag("model", "flag", "--model")]);
  expect(settings).toMatchObject({ model: "flag", mouse: false, windowTokens: 6_000 });
  expect([...sources]).toEqual([
    ["model", "--model"],
    ["mouse", file],
    ["windowTokens", "MINI_CLAUDE_WINDOW_TOKENS"],
  ]);
  expect(problems).toEqual([]);
  expect(load(text, env).settings.model).toBe("env");
  expect(load(text, { ANTHROPIC_MODEL: "familiar" }).settings.model).toBe("familiar");
});

test.each([
  ["MINI_CLAUDE_THEME", "light", { theme: "light" }],
  ["MINI_CLAUDE_MOUSE", "0", { mouse: false }],
  ["MINI_CLAUDE_MODEL", "5", { model: "5" }],
  ["MINI_CLAUDE_PERMISSION_MODE", "acceptEdits", { permissionMode: "accept-edits" }],
  ["MINI_CLAUDE_ADD_DIRS", "/a, /b", { addDirs: ["/a", "/b"] }],
  ["MINI_CLAUDE_ADD_DIRS", '["/a,b"]', { addDirs: ["/a,b"] }],
  ["MINI_CLAUDE_ADD_DIRS", "~/x", { addDirs: ["/home/me/x"] }],
  ["MINI_CLAUDE_KEYS", '{"compact":["f5"]}', { keys: { compact: ["f5"] } }],
  ["MINI_CLAUDE_SUMMARY_AT", "0.9", { summaryAt: 0.9 }],
  ["MINI_CLAUDE_SUMMARY_KEEP_TURNS", "3", { summary: { keepTurns: 3 } }],
  ["MINI_CLAUDE_WINDOW_TOKENS", "1m", { windowTokens: 1_000_000 }],
  ["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", "70", { summaryAt: 0.7 }],
  ["CLAUDE_CODE_AUTO_COMPACT_WINDOW", "150000", { windowTokens: 150_000 }],
  ["DISABLE_COMPACT", "1", { compaction: "off" }],
  ["DISABLE_AUTO_COMPACT", "true", { autoCompact: "off" }],
  ["DISABLE_AUTO_COMPACT", "0", { autoCompact: "on" }],
  ["NO_COLOR", "1", { theme: "none" }],
  ["NO_COLOR", "", { theme: "auto" }],
  // The key of a server in the file of models.
  ["MINI_CLAUDE_LAB_KEY", "l", {}],
])("%s=%s", (name, value, expected) => {
  const { settings, problems } = load(null, { HOME: "/home/me", [name]: value });
  expect(settings).toMatchObject(expected);
  expect(problems).toEqual([]);
});

test("our own variables override those of other tools", () => {
  expect(load(null, { NO_COLOR: "1", MINI_CLAUDE_THEME: "light" }).settings.theme).toBe("light");
  expect(load('{"autoCompact":"ask"}', { DISABLE_AUTO_COMPACT: "0" }).settings.autoCompact).toBe(
    "ask",
  );
});

test("a malformed rule is named, and the others apply", () => {
  const { settings, problems } = load('{"permissions": {"allow": ["Bash(git diff:*)", "Bash("]}}');
  expect(settings.permissions.allow).toEqual(["Bash(git diff:*)", "Bash("]);
  expect(problems).toEqual([
    "permissions: “Bash(” is not a rule such as Bash(git diff:*); it is ignored.",
  ]);
});

test("hooks and rules have no variable", () => {
  const allowed = load(null, { MINI_CLAUDE_PERMISSIONS_ALLOW: "Bash" });
  expect(allowed.settings.permissions.allow).toEqual([]);
  const hook = load(null, { MINI_CLAUDE_HOOKS_PRE_COMPACT: "rm -rf /" });
  expect(hook.settings.hooks).toEqual({});
  expect(hook.problems[0]).toContain("MINI_CLAUDE_HOOKS_PRE_COMPACT is not a setting");
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "x" }] }] };
  expect(load(JSON.stringify({ hooks })).settings.hooks).toEqual(hooks);
});

test.each([
  // What stands under “policy” counts as if it stood above.
  '{"policy": {"balance": "keep", "summary": {"keepTurns": 2}}}',
  '{"balance": "keep", "summary": {"keepTurns": 2}}',
  '{"policy.balance": "keep", "summary.keepTurns": 2}',
])("a group of settings may be written as %s", (text) => {
  const { settings, problems } = load(text);
  expect(settings).toEqual({ ...defaultSettings, balance: "keep", summary: { keepTurns: 2 } });
  expect(problems).toEqual([]);
});

test("folders from flags are added to those of the file", () => {
  const { settings } = load('{"addDirs": ["/a"]}', {}, [flag("addDirs", ["/b"], "--add-dir")]);
  expect(settings.addDirs).toEqual(["/a", "/b"]);
});

test.each([
  [
    '{"theme": "pink"}',
    '“theme” must be one of auto, dark, light, none, color-blind, not "pink"; it is ignored.',
  ],
  ['{"windowTokens": "many"}', '“windowTokens” must be a number, not "many"; it is ignored.'],
  ['{"windowTokens": -1}', "“windowTokens” must be at least 1, not -1; it is ignored."],
  ['{"keepResults": 0.5}', "“keepResults” must be a whole number, not 0.5"],
  ['{"baseUrl": "localhost:8080"}', 'must look like http://localhost:8080/v1, not "'],
  ['{"baseUrl": "file:///etc/passwd"}', 'must look like http://localhost:8080/v1, not "'],
  ['{"modle": "x"}', "unknown setting “modle”; did you mean “model”?"],
  ['{"autoCompackt": "on"}', "unknown setting “autoCompackt”; did you mean “autoCompact”?"],
  ['{"zzzzzzzz": {"a": 1}}', "unknown setting “zzzzzzzz.a”; delete it."],
  [
    '{"budget": {"wombat": 1, "numbat": 2}}',
    "unknown settings “budget.wombat” and “budget.numbat”; delete",
  ],
  ['{"policy": {"keepResult": 2}}', "unknown setting “keepResult”; did you mean “keepResults”?"],
  ['{"hooks": "rm"}', '“hooks” must be an object, not "rm"'],
  ['{"keys": {"compct": ["f5"]}}', "unknown action “compct”; did you mean “compact”?"],
])("%s is reported in one sentence, and the default applies", (text, sentence) => {
  const { settings, problems } = load(text);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toStartWith(`${file}: `);
  expect(problems[0]).toContain(sentence);
  expect({ ...settings, keys: {} }).toEqual(defaultSettings);
});

test("an invalid value is reported with its variable", () => {
  const { settings, problems } = load('{"model": "kept"}', {
    MINI_CLAUDE_WINDOW_TOKENS: "big",
    CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "3",
    MINI_CLAUDE_MODLE: "x",
  });
  expect(problems).toEqual([
    "MINI_CLAUDE_MODLE is not a setting; did you mean MINI_CLAUDE_MODEL?",
    "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: “summaryAt” must be a share from 0.05 to 1, or a number of tokens from 1000, not 0.03; it is ignored.",
    "MINI_CLAUDE_WINDOW_TOKENS: “windowTokens” must be a number, not big; it is ignored.",
  ]);
  expect(settings.model).toBe("kept");
});

test("an invalid flag ends the start", () => {
  const window = { path: ["windowTokens"], value: "huge", source: "--window", text: "huge" };
  expect(() => load(null, {}, [window])).toThrow("--window must be a number, not huge.");
});

test("comments and trailing commas are allowed in the file", () => {
  const { settings, problems } = load('\u{feff}{\n  // fast\n  "model": "x", /* y */\n}');
  expect(problems).toEqual([]);
  expect(settings.model).toBe("x");
});

test.each([
  ["{", "is not valid JSON ("],
  ["[]", "must hold one JSON object"],
  ['"x"', "must hold one JSON object"],
  ["nonsense", "is not valid JSON ("],
])("a file that holds %s is ignored, in one sentence", (text, why) => {
  const { settings, problems } = load(text);
  expect(settings).toEqual(defaultSettings);
  expect(problems).toEqual([expect.stringMatching(/; it is ignored\.$/)]);
  expect(problems[0]).toStartWith(`${file} ${why}`);
});

test("an unreadable file is reported", () => {
  const { problems } = loadSettings({ env: {}, file: folder, flags: [] });
  expect(problems[0]).toContain(`${folder} cannot be read`);
});

const readValue = (tree: unknown, name: string): unknown =>
  isRecord(tree) ? tree[name] : undefined;

test("any input results in valid settings", () => {
  const values = fc.dictionary(
    fc.oneof(
      fc.string(),
      fc.constantFrom(...Object.keys(defaultSettings), "autoCompact", "__proto__"),
    ),
    fc.jsonValue(),
  );
  const variables = fc.dictionary(
    fc.constantFrom(
      ...allSettings.map(({ path }) => `MINI_CLAUDE_${path.at(-1)?.toUpperCase()}`),
      "MINI_CLAUDE_WINDOW_TOKENS",
      "MINI_CLAUDE_ADD_DIRS",
      "MINI_CLAUDE_SUMMARY_AT",
      "NO_COLOR",
      "DISABLE_COMPACT",
    ),
    fc.oneof(fc.string(), fc.constantFrom("1", "{}", "[1]", "[", "null", "1e999", "-0")),
  );
  fc.assert(
    fc.property(values, variables, (tree, env) => {
      const { settings, problems } = load(JSON.stringify(tree), env);
      for (const { path, schema } of allSettings)
        expect(schema.safeParse(path.reduce(readValue, settings)).success).toBe(true);
      for (const problem of problems) expect(problem).not.toContain("\n");
    }),
    { numRuns: 200 },
  );
});

test("variables and rules of another agent's settings hold here, and its other settings do not", () => {
  const foreign = join(folder, "claude-settings.json");
  writeFileSync(
    foreign,
    JSON.stringify({
      model: "opus",
      env: { CI: "1" },
      permissions: {
        allow: ["Bash(bun test:*)", "not a rule ("],
        deny: ["Read(secret/**)"],
        defaultMode: "bypassPermissions",
        additionalDirectories: ["/docs"],
      },
      includeCoAuthoredBy: false,
    }),
  );
  writeFileSync(file, JSON.stringify({ permissions: { allow: ["Bash(ls:*)"] }, env: { B: "2" } }));
  const { settings, problems } = loadSettings({ env: {}, file, foreign: [foreign], flags: [] });
  expect(problems).toEqual([]);
  expect(settings.permissions.allow).toEqual(["Bash(bun test:*)", "Bash(ls:*)"]);
  expect(settings.permissions.deny).toEqual(["Read(secret/**)"]);
  expect(settings.env).toEqual({ CI: "1", B: "2" });
  expect(settings.addDirs).toEqual(["/docs"]);
  expect(settings.model).toBe(defaultSettings.model);
  expect(settings.permissionMode).toBe(defaultSettings.permissionMode);
  const none = loadSettings({ env: {}, file: null, foreign: [foreign], flags: [] });
  expect(none.settings.env).toEqual({});
});
