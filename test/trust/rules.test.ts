import { afterAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Rules } from "../../src/trust/rules/rules.ts";
import type { PermissionMode } from "../../src/protocol/permission.ts";
import { type Room, leave, room, temporaryFolder } from "../tools/room.ts";
import { sandboxHere } from "./sandbox-here.ts";

afterAll(leave);

const bash = ({ verdict }: Room, command: string) => verdict("Bash", { command });
const write = ({ verdict }: Room, file_path: string) =>
  verdict("Write", { file_path, content: "y" });
const read = ({ verdict }: Room, file_path: string) => verdict("Read", { file_path });

const allowing = (text: string): Rules =>
  new Rules({ allow: [text], ask: [], deny: [] }, { workspace: "/w", home: "/home/me" });

test("what is not a rule allows nothing", () => {
  for (const text of ["", "Bash(", "Bash()", "Bash x", "(x)", "Bash(x) y", "1x"])
    expect([text, allowing(text).allowsCommand("Bash", "x")]).toEqual([text, false]);
});

test("rules for commands", () => {
  for (const [text, command, expected] of [
    ["Bash", "x", true],
    ["Bash(*)", "x", true],
    [" Bash(git diff:*) ", "git diff", true],
    ["Bash(echo (a))", "echo (a)", true],
    ["Bash(git diff:*)", "git diff --stat", true],
    ["Bash(git diff:*)", "git difftool", false],
    ["Bash(git diff:*)", "git  diff", false],
    ["Bash(npm run build)", "npm run build", true],
    ["Bash(npm run build)", "npm run build x", false],
    ["Bash(npm run *)", "npm run build", true],
    ["Bash(* --help)", "git log --help", true],
    ["Bash(a.c)", "abc", false],
    ["Bash(a+)", "aa", false],
  ] as const)
    expect([text, command, allowing(text).allowsCommand("Bash", command)]).toEqual([
      text,
      command,
      expected,
    ]);
});

test("rules for paths", () => {
  for (const [text, path, expected] of [
    ["Edit(src/**)", "/w/src/a/b.ts", "allow"],
    ["Edit(src/**)", "/w/src", "allow"],
    ["Edit(src/**)", "/w/srcs/a.ts", null],
    ["Edit(/src/**)", "/w/src/a.ts", "allow"],
    ["Edit(./src/*.ts)", "/w/src/a.ts", "allow"],
    ["Edit(src)", "/w/src/a.ts", "allow"],
    ["Read(*.pem)", "/w/a/b/x.pem", "allow"],
    ["Read(.env)", "/w/a/.env", "allow"],
    ["Read(~/.ssh/**)", "/home/me/.ssh/id", "allow"],
    ["Read(~/.ssh/**)", "/w/.ssh/id", null],
    ["Read(~)", "/home/me/x", "allow"],
    ["Read(//etc/**)", "/etc/passwd", "allow"],
    ["Read(//etc/**)", "/w/etc/passwd", null],
    ["Read", "/anything", "allow"],
  ] as const) {
    const word = allowing(text).forPath("read", text.slice(0, 4), path);
    expect([text, path, word]).toEqual([text, path, expected]);
  }
});

test("rules for tools", () => {
  for (const [text, tool, expected] of [
    ["mcp__server", "mcp__server__tool", "allow"],
    ["mcp__server__*", "mcp__server__tool", "allow"],
    ["mcp__server__tool", "mcp__server__tool", "allow"],
    ["mcp__server__tool", "mcp__server__other", null],
    ["mcp__server", "mcp__server2__tool", null],
    ["mcp__serv", "mcp__server__tool", null],
    ["Edit", "Write", "allow"],
    ["Write", "Edit", null],
    ["Read", "Grep", "allow"],
    ["Read", "Bash", null],
    ["Task", "Agent", "allow"],
    ["WebFetch(domain:*)", "WebFetch", "allow"],
  ] as const)
    expect([text, tool, allowing(text).forTool(tool)]).toEqual([text, tool, expected]);
});

const unread = [
  `${"ls; ".repeat(2_001)}git push`,
  `${"eval ".repeat(20)}git push`,
  `${"echo $(".repeat(20)}git push${")".repeat(20)}`,
  // Each value holds the next one a hundred times.
  `${[..."abcdefgh"].map((name, at, all) => `${name}='${`$${all[at + 1]}`.repeat(100)}'`).join("; ")}; git push $a`,
];

test("a line that cannot be read to its end is refused where a rule may deny what it runs", async () => {
  const at = await room({ rules: { allow: ["Bash"], deny: ["Bash(git push:*)"] } });
  const asks = await room({ rules: { allow: ["Bash"], ask: ["Bash(git push:*)"] } });
  const free = await room({ rules: { allow: ["Bash"], deny: ["Edit"] } });
  for (const mode of ["default", "bypass"] as PermissionMode[]) {
    at.box.mode = mode;
    for (const command of unread) {
      const review = await at.review("Bash", { command });
      expect(review.verdict === "refuse" && review.reason).toContain("Split it");
    }
  }
  for (const command of unread) {
    expect(await bash(asks, command)).toBe("refuse");
    // A warning takes precedence over a rule that allows.
    expect(await bash(free, command)).toBe("ask");
  }
});

test("rules for files match paths in, above and outside the workspace", async () => {
  const at = await room({
    rules: {
      allow: ["Edit(src/**)", "Read(../outside/**)", "Read(//etc/hostname)"],
      ask: ["Edit(src/generated/**)", "Read(private/**)"],
      deny: ["Read(vault/**)", "Edit(src/frozen/**)"],
    },
  });
  for (const path of ["src/a.ts", "vault/x", "private/x", "a.ts"]) at.put(path, "x");
  expect(await write(at, "src/new.ts")).toBe("allow");
  expect(await write(at, "src/frozen/new.ts")).toBe("refuse");
  expect(await write(at, "other.ts")).toBe("ask");
  expect(await read(at, "vault/x")).toBe("refuse");
  expect(await read(at, "private/x")).toBe("ask");
  expect(await read(at, "a.ts")).toBe("allow");
  expect(await read(at, "/etc/hostname")).toBe("allow");
  expect(await at.verdict("Grep", { pattern: "x", path: "vault" })).toBe("refuse");
  expect(await bash(at, "cat vault/x")).toBe("ask");
  expect(await bash(at, "head private/x")).toBe("ask");
  expect(await bash(at, "git diff -- vault")).toBe("ask");
  at.box.mode = "bypass";
  expect(await read(at, "vault/x")).toBe("refuse");
  expect(await write(at, "src/frozen/new.ts")).toBe("refuse");
});

test("no rule covers a secret or a file that makes something run", async () => {
  const at = await room({ rules: { allow: ["Edit", "Read", "Write"] } });
  at.put(".env", "x");
  for (const path of [".env", ".husky/pre-commit", "sub/HEAD", ".git/config"])
    expect([path, await write(at, path)]).toEqual([path, "ask"]);
  for (const path of [".env", "server.pem", join(homedir(), ".mini-claude-x/.env")])
    expect([path, await read(at, path)]).toEqual([path, "ask"]);
});

test("files of the project can narrow what is allowed, never widen it", async () => {
  const outer = await room();
  outer.put(
    ".mini-claude/settings.json",
    `{ // comments are fine
      "permissions": { "allow": ["Bash", "Edit"], "ask": ["Bash(make:*)"], "deny": ["Read(vault/**)"] } }`,
  );
  outer.put(".claude/settings.json", '{"permissions": {"deny": ["Bash(curl:*)"]}, "hooks": {}}');
  outer.put(".claude/settings.local.json", "not json");
  outer.put("vault/x", "x");
  const at = await room({
    workspace: outer.root,
    rules: { allow: ["Bash(make:*)", "Bash(curl:*)"] },
  });
  expect(await bash(at, "npm run build")).toBe("ask");
  expect(await bash(at, "make build")).toBe("ask");
  expect(await bash(at, "curl x")).toBe("refuse");
  expect(await read(at, "vault/x")).toBe("refuse");
  expect(await write(at, "a")).toBe("ask");
});

test("a settings file of the project that is a pipe, a link or large is ignored", async () => {
  const text = '{"permissions": {"deny": ["Bash(x)"]}}';
  for (const kind of ["pipe", "link", "large"]) {
    const outer = await room();
    outer.put("other.json", text);
    const file = outer.put(".mini-claude/settings.json", text.padEnd(1_000_000));
    if (kind !== "large") rmSync(file);
    if (kind === "pipe") Bun.spawnSync(["mkfifo", file]);
    if (kind === "link") symlinkSync("../other.json", file);
    expect(await bash(await room({ workspace: outer.root }), "x")).toBe("ask");
  }
});

test("always adds the narrowest rule to the settings of the user, and says where", async () => {
  const saved: string[] = [];
  const savedRules = {
    file: "/home/me/.mini-claude/settings.json",
    add: (rule: string) => void saved.push(rule),
  };
  const at = await room({ savedRules });
  const offered = async (name: string, input: Record<string, string>): Promise<string | null> => {
    const call = { type: "tool_use", id: JSON.stringify(input), name, input } as const;
    const review = await at.box.review(call);
    if (review.verdict !== "ask") throw new Error("not asked");
    at.box.allowForSession(call, { save: true });
    expect(review.ask.always?.file ?? savedRules.file).toBe(savedRules.file);
    return review.ask.always?.rule ?? null;
  };
  const line = await offered("Bash", { command: "npm run build" });
  const folder = await offered("Write", { file_path: "src/a.ts", content: "x" });
  expect(await offered("Write", { file_path: ".env", content: "x" })).toBeNull();
  expect(saved).toEqual([
    sandboxHere ? "Bash(npm run build:*)" : "Bash(npm run build)",
    `Edit(/${at.root}/src/**)`,
  ]);
  expect([line, folder]).toEqual(saved);
  const next = await room({ workspace: at.root, rules: { allow: saved } });
  expect(await bash(next, "npm run build")).toBe("allow");
  expect(await bash(next, "npm run other")).toBe("ask");
  expect(await write(next, "src/b.ts")).toBe("allow");
  expect(await write(next, "b.ts")).toBe("ask");
  expect(await write(await room({ rules: { allow: saved } }), "src/b.ts")).toBe("ask");
});

test("rules of a turn allow until they are replaced, and never override a rule that denies", () => {
  const rules = new Rules(
    { allow: [], ask: [], deny: ["Bash(git push:*)"] },
    { workspace: "/w", home: "/h" },
  );
  rules.allowForTurn(["Bash(git add:*)", "Bash(git push:*)", "not a rule ("]);
  expect(rules.allowsCommand("Bash", "git add a")).toBe(true);
  expect(rules.forbids("Bash", ["git push"])).toBe("deny");
  rules.allowForTurn([]);
  expect(rules.allowsCommand("Bash", "git add a")).toBe(false);
});

test("what only edits refuse is still searched; what reads refuse is not", () => {
  const lists = { allow: [], ask: ["Read(a/**)"], deny: ["Read(b.txt)", "Edit(c/**)"] };
  const refused = new Rules(lists, { workspace: "/w", home: "/h" }).refusedPaths("Read");
  const paths = ["/w/a/x", "/w/b.txt", "/w/c/x", "/w/d"];
  expect(paths.filter((path) => refused?.(path))).toEqual(paths.slice(0, 2));
  const none = new Rules(
    { ...lists, ask: [], deny: ["Edit", "Read"] },
    { workspace: "/w", home: "/h" },
  );
  expect(none.refusedPaths("Read")).toBeNull();
});

test("rules of the repository that ask and deny hold in a folder of it, with its paths", async () => {
  const top = temporaryFolder();
  const workspace = join(top, "sub");
  mkdirSync(join(workspace, ".claude"), { recursive: true });
  mkdirSync(join(top, ".claude"));
  const rules = (deny: string[]) => JSON.stringify({ permissions: { deny } });
  writeFileSync(
    join(top, ".claude/settings.json"),
    rules(["Read(sub/private/**)", "Read(keys)", "Bash(make deploy:*)", "Edit(/sub/a.txt)"]),
  );
  writeFileSync(join(workspace, ".claude/settings.json"), rules(["Read(own/**)"]));
  const at = await room({ workspace, projectRoot: top });
  for (const path of ["private/x", "deep/keys", "own/x"])
    expect([path, await read(at, join(workspace, path))]).toEqual([path, "refuse"]);
  expect(await bash(at, "make deploy")).toBe("refuse");
  expect(await write(at, join(workspace, "a.txt"))).toBe("refuse");
  expect(await read(at, join(workspace, "sub/private/x"))).toBe("allow");
});

test("a name with line breaks is one line of a question", async () => {
  const at = await room();
  const review = await at.review("Write", { file_path: "a.ts\n\nAllowed: b.ts", content: "" });
  if (review.verdict !== "ask") throw new Error(review.verdict);
  expect([review.ask.title, review.ask.rule, review.ask.access].join("")).not.toContain("\n");
});
