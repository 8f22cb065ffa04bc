import { afterAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { judge } from "../../src/trust/judge.ts";
import { leave, room, temporaryFolder } from "../tools/room.ts";
import { verdictLab } from "./verdicts.ts";

const lab = verdictLab();
afterAll(async () => {
  lab.remove();
  await leave();
});

const folders = {
  home: "/home/me",
  own: "/home/me/.mini-claude",
  results: "/home/me/.mini-claude/tool-results",
};
/** The words of a table. */
const words = (text: string): string[] => text.trim().split(/\s+/);

/** What the question before a write to the path warns of. */
async function warning(path: string, homes: Parameters<typeof judge>[1]["folders"] = folders) {
  const now = lab.situation("accept-edits", { tool: "Write", folders: homes });
  // As if everything were in the workspace.
  const workspace = { ...now.workspace, areaOf: () => "workspace" as const };
  const verdict = await judge({ kind: "write", path }, { ...now, workspace });
  return verdict.verdict === "ask" ? verdict.warning : null;
}

const secret = "This file may hold secrets.";
const effect = "Other programs run this file or read settings from it.";

const inProject = (path: string): string => join("/home/me/project", path);

test.each<[string | null, (path: string) => string, string]>([
  [
    secret,
    inProject,
    `
    .env .ENV .env.local .env~ .env.bak .env_old config/staging.env docker.env.local .envrc credentials.json
    .credentials.json gcp-credentials.json client_secret.json service_account_prod.json secrets.yml
    terraform.tfstate.backup prod.tfvars .netrc _netrc .npmrc .pgpass .git-credentials .vault_pass kubeconfig.yaml
    server.pem master.key putty.ppk id_rsa id_ed25519 deploy_rsa id_rsa.bak id_rsa~ .bash_history
    .my.cnf .pypirc .htpasswd cert.p12 store.jks passwords.kdbx terraform.tfstate kubeconfig
    .git/config .git/modules/x/config sub/.git/config.worktree wp-config.php
    `,
  ],
  [
    secret,
    String,
    `
    /home/me/.ssh/config /home/me/.ssh/known_hosts /home/me/.aws/config /home/me/.AWS/Config /home/me/.kube/config
    /home/me/.docker/config.json /home/me/.config/gh/hosts.yml /home/me/.gnupg/x
    /home/me/.mini-claude/settings.json
    `,
  ],
  [
    effect,
    inProject,
    `
    .git/hooks/pre-commit .git/HEAD sub/.git/index .vscode/tasks.json .Husky/Pre-Commit deep/.unheard-of .bashrc
    .github/workflows/ci.yml .claude/settings.local.json my.code-workspace evil/HEAD evil/commondir
    evil/hooks/post-index-change evil/info/attributes githooks/update githooks/pre-x CLAUDE.md docs/AGENTS.md
    bunfig.toml mise.local.toml flake.nix .devcontainer.json launch.vs.json project.iml android/gradlew.bat
    gradle/wrapper/gradle-wrapper.properties build.rs build.gradle.kts mypy.ini phpstan.neon.dist
    sub/CMakeUserPresets.json Directory.Build.targets src/App.csproj rust-analyzer.toml x.gemspec
    eslint.config.mjs postcss.config.js lefthook.yml sitecustomize.py lib/x.pth compose.override.yaml Jenkinsfile
    mcp.json opencode.json Gemfile nx.json renovate.json Package.swift CMakePresets.json build.zig
    azure-pipelines.yml action.yml Procfile App.xcodeproj/project.pbxproj
    node_modules/.bin/tsc packages/a/node_modules/x/package.json venv/lib/python3/site-packages/x.py
    vendor/bundle/x.rb target/release/build/x/out/y.rs crates/a/target/debug/deps/a.d api/target/classes/App.class
    src/__pycache__/x.cpython-312.pyc ios/Pods/x.m .venv/lib/x.py .next/server/page.js .cache/babel/x.js
    `,
  ],
  [
    effect,
    String,
    `
    /home/me/.config/systemd/user/x.service /home/me/.local/bin/ls /home/me/.anything/x /home/me/.zshrc
    /home/me/Library/LaunchAgents/x.plist
    `,
  ],
  [
    null,
    inProject,
    `
    src/index.ts README.md .env.example .env.sample env.template src/env.ts src/environment.ts
    src/extensions/hooks/use-state.ts src/extensions/hooks/index.ts src/config/index.ts src/config.ts config.json
    package.json tsconfig.json Makefile .gitignore .editorconfig .nvmrc dist/index.js src/vendors/list.ts
    src/target/build.ts src/actions.ts Dockerfile go.mod Cargo.toml CMakeLists.txt test/setup.py docs/config.md
    scripts/release.sh vite.config.ts docs/secrets-of-parsing.md src/keys.ts src/credentials.ts src/token.ts
    id_rsa.pub bin/run test/head.ts
    `,
  ],
])("the warning is %p", async (expected, place, paths) => {
  for (const path of words(paths).map(place))
    expect([path, await warning(path)]).toEqual([path, expected]);
});

test.each([
  ["/home/me/.dots/project/src/a.ts", "/home/me/.dots/project", true],
  ["/srv/.hidden/project/src/a.ts", "/srv/.hidden/project", false],
  ["/srv/.hidden/project/.x/a.ts", "/srv/.hidden/project", true],
  ["/srv/p/.claude/worktrees/a/src/a.ts", "/srv/p", false],
  ["/srv/p/.claude/worktrees/a/.envrc", "/srv/p", true],
])("%s in the folder %s makes something run later: %p", async (path, root, makes) => {
  expect((await warning(path, { ...folders, roots: [root] })) !== null).toBe(makes);
});

test("the path of the home may have capitals", async () => {
  const own = "/Users/Me/.Own";
  const mac = { home: "/Users/Me", own, results: `${own}/tool-results` };
  for (const path of words(".ssh/config .config/gh/hosts.yml Library/Keychains/x.db .Own/x.json"))
    expect([path, await warning(join(mac.home, path), mac)]).toEqual([path, secret]);
  expect(await warning(join(mac.home, ".anything/x"), mac)).toBe(effect);
});

test("a search shows the files that are read without a question, and no other", async () => {
  // With capitals in its path.
  const home = join(temporaryFolder(), "Me");
  const own = ".mini-claude/tool-results";
  const places = ["", ...words(".ssh .SSH .config .config/gh .mini-claude a/.ssh a/.git"), own];
  const names = words("config id_rsa a.txt Key.PEM hosts.yml config.env x.git");
  for (const place of places) {
    mkdirSync(join(home, place), { recursive: true });
    for (const name of names) writeFileSync(join(home, place, name), "needle\n");
  }
  const result = join(home, own, "a.txt");
  const at = await room({
    workspace: home,
    home,
    resultsDir: join(home, own),
    ownResults: [result],
    childEnv: { PATH: process.env["PATH"] ?? "", HOME: home },
  });
  for (const place of places) {
    const said = await at.say("Grep", { pattern: "needle", path: join(home, place) });
    const found = said.split("\n").map((line) => join(home, line.replace(`${home}/`, "")));
    for (const name of names) {
      const file = join(home, place, name);
      const { verdict } = await at.review("Read", { file_path: file });
      expect([file, found.includes(file)]).toEqual([file, verdict === "allow"]);
    }
  }
});
