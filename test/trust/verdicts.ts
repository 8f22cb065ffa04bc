/** Judges command lines in a small repository: rows of `verdicts.txt`. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { PermissionMode } from "../../src/protocol/permission.ts";
import type { Access } from "../../src/tools/tool.ts";
import { judge } from "../../src/trust/judge.ts";
import { Rules, type RuleTexts } from "../../src/trust/rules/rules.ts";

type Situation = Parameters<typeof judge>[1];
type Verdict = Awaited<ReturnType<typeof judge>>;
type Command = Extract<Access, { kind: "command" }>;

type Lab = ReturnType<typeof verdictLab>;

const files: Record<string, string> = {
  "a.ts": "a\n",
  "b.ts": "b\n",
  "src/main.ts": "main\n",
  "dist/a.js": "a\n",
  ".gitignore": "dist\n",
  ".env": "KEY=1\n",
  ".env.example": "KEY=\n",
  "lib/.env": "KEY=1\n",
  "key.pem": "key\n",
  "package.json": '{"name": "a"}\n',
  ".github/workflows/ci.yml": "on: push\n",
  ".vscode/tasks.json": "{}\n",
  ".husky/pre-commit": "npm test\n",
  "tools/bazel": "#!/bin/sh\n",
  "nested/.git/config": "[core]\n",
  "nested/c.ts": "c\n",
  "odd/.git/config": "[core]\n\tfsmonitor = ./run\n",
  "hooked/.git/config": "[core]\n\thooksPath = run\n",
  "hooked/run/post-index-change": "#!/bin/sh\n",
};

const homeFiles: Record<string, string> = {
  ".bashrc": "",
  ".cargo/bin/tool": "",
  ".ssh/id_rsa": "key\n",
  ".config/gh/hosts.yml": "",
};

/** Beside origin: by a key, in a folder, and one whose address to push to is a folder. */
const moreRemotes = `
  git init -q --bare evil
  git remote add ssh git@example.com:a.git
  git remote add near ../near
  git remote add two https://example.com/b.git
  git config remote.two.pushurl file:///tmp/two`;

const holds = (folder: string, path: string): boolean => `${path}/`.startsWith(`${folder}/`);

export function verdictLab({ remotes = false } = {}) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "verdicts-")));
  const home = join(top, "home");
  const root = join(home, "workspace");
  const put = (folder: string, found: Record<string, string>): void => {
    for (const [name, text] of Object.entries(found)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  put(root, files);
  put(home, { ...homeFiles, "beside/b.ts": "b\n" });
  const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
  for (const args of [
    ["init", "-q"],
    ["remote", "add", "origin", "https://github.com/a/b.git"],
    [...who, "commit", "-q", "--allow-empty", "-m", "x"],
  ])
    Bun.spawnSync(["git", ...args], { cwd: root });
  // A submodule, whose configuration git would read.
  const link = `git init -q linked && cd linked && git update-index --add --cacheinfo 160000,${"1".repeat(40)},sub`;
  Bun.spawnSync(["sh", "-c", link], { cwd: root });
  if (remotes) Bun.spawnSync(["sh", "-c", moreRemotes], { cwd: root });
  const own = join(home, ".mini-claude");
  const results = join(own, "tool-results");
  const unkept = ["dist", ".git"].map((name) => join(root, name));
  const workspace: Situation["workspace"] = {
    root,
    added: [],
    areaOf: (path) => (holds(root, path) ? "workspace" : "outside"),
    show: (path) => (holds(root, path) ? relative(root, path) || "." : path),
  };
  return {
    root,
    workspace,
    situation: (
      mode: PermissionMode,
      { texts = {}, ...more }: Partial<Situation> & { texts?: Partial<RuleTexts> } = {},
    ): Situation => ({
      mode,
      rules: new Rules({ allow: [], ask: [], deny: [], ...texts }, { workspace: root, home }),
      workspace,
      folders: { home, own, results, roots: [root] },
      tool: "Bash",
      cwd: root,
      sandbox: async () => true,
      notRestorable: async (paths) =>
        paths.flatMap((path) => unkept.find((out) => holds(path, out) || holds(out, path)) ?? []),
      ...more,
    }),
    judge: (command: string | Command, now: Situation) =>
      judge(typeof command === "string" ? readRow(command, home) : command, now),
    remove: (): void => rmSync(top, { recursive: true, force: true }),
  };
}

/** A word before the command says how it is sent: `&`, `outside:`, `host:NAME`, `writable:PATH`. */
function readRow(text: string, home: string): Command {
  const [, sign = "", value = "", rest = ""] =
    /^(?:(&|outside:|host:|writable:)(\S*) )?(.*)$/.exec(text) ?? [];
  const command = rest
    .replaceAll("⏎", "\n")
    .replace(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  const path = value.startsWith("~") ? home + value.slice(1) : value;
  const isPlace = sign === "writable:";
  return {
    kind: "command",
    command,
    background: sign === "&",
    outside: sign === "outside:",
    hosts: sign === "host:" ? [value] : [],
    writable: isPlace ? [path.startsWith("/") ? path : join(home, "workspace", path)] : [],
  };
}

/** reads: nothing can be written. warns: asks, with "deny" chosen at first. */
export function verdictWord(verdict: Verdict): "reads" | "runs" | "asks" | "warns" | "never" {
  switch (verdict.verdict) {
    case "refuse":
      return "never";
    case "ask":
      return verdict.warning === null ? "asks" : "warns";
    case "allow":
      return verdict.execution?.write === false ? "reads" : "runs";
    default:
      return verdict satisfies never;
  }
}

/** In the order of the columns: modes default and auto, and default without a sandbox. */
export async function judgeEverywhere(lab: Lab, command: string): Promise<string> {
  const bare = { sandbox: async () => false };
  const verdicts = [
    await lab.judge(command, lab.situation("default")),
    await lab.judge(command, lab.situation("auto")),
    await lab.judge(command, lab.situation("default", bare)),
  ];
  return verdicts.map(verdictWord).join(" ");
}
