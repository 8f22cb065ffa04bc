import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { blockText } from "../../src/protocol/block.ts";
import { quietRun, type Room, leave, room } from "../tools/room.ts";

afterAll(leave);

function git(cwd: string, ...args: string[]): void {
  const done = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1" },
  });
  if (done.exitCode !== 0) throw new Error(done.stderr.toString());
}

async function repository(): Promise<Room> {
  const at = await room({ sandbox: "off" });
  git(at.root, "init", "-q", "-b", "main");
  at.put("a.txt", "one\n");
  at.put("sub/b.txt", "b\n");
  at.put(".env", "KEY=secret\n");
  git(at.root, "add", "-A");
  git(at.root, "commit", "-qm", "first");
  at.put("a.txt", "two\n");
  at.put(".env", "KEY=other secret\n");
  return at;
}

let at: Room;

beforeAll(async () => {
  at = await repository();
});

const review = async (where: Room, command: string) =>
  (await where.review("Bash", { command })).verdict;

async function output(where: Room, command: string): Promise<string> {
  const call = { type: "tool_use", id: command, name: "Bash", input: { command } } as const;
  expect((await where.box.review(call)).verdict).toBe("allow");
  return blockText((await where.box.run(call, quietRun())).content);
}

test.each([
  "git status",
  "git status --short --branch",
  "git --no-pager log --oneline -5",
  "git log",
  "git log -p -1",
  "git log --since=yesterday --author='a b' --stat",
  "git log --format='%h %s' main -- a.txt",
  "git log --follow --stat a.txt",
  "git diff",
  "git diff --stat HEAD",
  "git diff --cached",
  "git diff a.txt",
  "git diff HEAD -- a.txt sub",
  "git diff main..HEAD",
  "git show",
  "git show --stat HEAD",
  "git show HEAD:a.txt",
  "git blame a.txt",
  "git blame -L 1,3 HEAD -- a.txt",
  "git grep -n one",
  "git ls-files",
  "git ls-files sub",
  "git ls-tree -r HEAD",
  "git branch",
  "git branch -a",
  "git branch --show-current",
  "git branch --list 'm*'",
  "git tag",
  "git remote -v",
  "git stash list",
  "git rev-parse --show-toplevel",
  "git rev-parse --abbrev-ref HEAD",
  "git rev-list --count HEAD",
  "git describe --always",
  "git reflog",
  "git cat-file -t HEAD",
  "git --version",
  "cd sub && git status",
  "git status && git diff | head -50",
])("%j runs without approval", async (command) => {
  expect(await review(at, command)).toBe("allow");
});

test.each([
  "git -c core.pager=./x log",
  "git -C .. log",
  "git --git-dir=x log",
  "git --exec-path=. status",
  "git --work-tree=/ status",
  "git -p log",
  "git --paginate log",
  "git diff --output=x",
  "git diff --outp=x",
  "git log --output x",
  "git diff --ext-diff",
  "git diff --ext",
  "git log -p --textconv",
  "git diff --no-index a.txt /etc/passwd",
  "git diff --no-i a.txt /etc/passwd",
  "git diff /etc/passwd a.txt",
  "git diff -- /etc/passwd a.txt",
  "git diff ../outside/o.txt a.txt",
  "git log --show-signature",
  "git log --format=%G?",
  "git log --pretty='%GS'",
  "git for-each-ref --format='%(signature)'",
  "git grep -O./x foo",
  "git grep --open-files-in-pager=./x foo",
  "git grep --no-index foo /etc",
  "git grep -f .env",
  "git grep foo -- .env",
  "git show HEAD:.env",
  "git show HEAD:sub/../.env",
  "git show :.env",
  "git show ':(top).env'",
  "git cat-file -p HEAD:.env",
  "git cat-file blob HEAD:.env",
  "git cat-file --textconv HEAD:a.txt",
  "git cat-file --batch",
  "git blame .env",
  "git blame --contents .env a.txt",
  "git blame -S .env a.txt",
  "git blame --ignore-revs-file .env a.txt",
  "git diff -- .env",
  "git diff -O.env",
  "git diff '*.env'",
  "git diff -- ':(glob)**/.env'",
  "git diff -- '*.e*'",
  "git diff -- ':(glob)**'",
  "git log -p -- ':!a.txt'",
  "git diff -- '[.]en[v]'",
  "git log -p -- .env",
  "git log -L1,2:.env",
  "git ls-files -X .env",
  "git ls-files --exclude-from=.env",
  // With --follow, which also shows what a file contained under other names, git takes no
  // exclusions.
  "git log -p --follow -- .",
  "git log -p --follow a.txt",
  "git log --follow -U3 sub",
  "git show --follow .",
  "git shortlog --output=x",
  "git archive HEAD",
  "git bundle create x HEAD",
  "git format-patch -1",
  "git fetch",
  "git pull",
  "git push",
  "git ls-remote",
  "git clone x",
  "git commit -m x",
  "git add a.txt",
  "git checkout main",
  "git branch new",
  "git branch -D main",
  "git branch -m x",
  "git branch --edit-description",
  "git branch --list -- main",
  "git tag v1",
  "git tag -s v1",
  "git tag -v v1",
  "git remote add x y",
  "git remote show origin",
  "git remote update",
  "git stash",
  "git stash push",
  "git stash show -p",
  "git for-each-ref --sort=signature:grade",
  "git branch --list --sort=-signature",
  "git config --list",
  "git config user.name x",
  "git submodule status",
  "git worktree add x",
  "git difftool",
  "git mergetool",
  "git bisect run x",
  "git gc",
  "git hook run pre-commit",
  "git rebase -i",
  "git help log",
  "git status .*",
  "git reflog -- a.txt",
  "git remote -- x",
  "git alias-of-the-user",
  "cd way && git status",
])("%j is asked about", async (command) => {
  expect(await review(at, command)).toBe("ask");
});

test("secret files of the repository are left out of what git prints", async () => {
  const where = await repository();
  for (const command of [
    "git diff",
    "git diff .",
    "git diff HEAD",
    "git show",
    "git show HEAD",
    "git log -p",
    "git log -u --all",
    "git log -S KEY -p",
    "git log -U3 --all",
    "git grep KEY",
    "git grep -i key HEAD",
  ]) {
    expect(await output(where, command)).not.toContain("secret");
  }
  expect(await output(where, "git diff")).toContain("+two");
  expect(await output(where, "git log -p -1")).toContain("+one");
  expect(await output(where, "git show HEAD:a.txt")).toBe("one");
  expect(await output(where, "git show HEAD^{}:sub/b.txt")).toBe("b");
  for (const commit of ["HEAD", "HEAD^{}", "HEAD^{commit}", "HEAD^{/first}", "main@{0}"])
    expect(await output(where, `git show ${commit}`)).toContain("+one");
  expect(await output(where, "git show HEAD^{tree}")).toContain("a.txt");
  for (const command of ["git grep two a.txt", "git grep -e two a.txt"])
    expect(await output(where, command)).toContain("a.txt:two");
});

/** Names whose content git never prints, one kind per line. */
const secretNames = `
  .env .ENV .env.local .env~ .env_old prod.env config/staging.env docker.env.local .envrc
  .netrc _netrc .pgpass .my.cnf .mylogin.cnf .npmrc .pypirc .boto .s3cfg .dockercfg .htpasswd .vault_pass
  .git-credentials credentials credentials.json .credentials.json gcp-credentials.json aws-credentials
  secrets secret.json Secrets.yml client_secrets.json service-account.json service_account_prod.json
  server.pem deep/er/server.key cert.p12 a.pfx store.jks a.keystore a.kdb passwords.kdbx putty.ppk vpn.ovpn x.agekey
  terraform.tfstate terraform.tfstate.backup prod.tfvars x.tfvars.json
  id_rsa id_dsa id_ecdsa id_ed25519 id_rsa.bak deploy_rsa deploy_dsa deploy_ecdsa deploy_ed25519
  kubeconfig kubeconfig.yaml .bash_history wp-config.php local.settings.json appsettings.Production.json
`;

test("code about secrets is printed, in a folder of that name, too", async () => {
  const where = await repository();
  const names = [
    "secrets.ts",
    "src/credentials.rs",
    "secret/of.md",
    "credentials/store.go",
    "src/secrets/a.ts",
    "client_secrets.py",
  ];
  for (const name of names) where.put(name, "is shown\n");
  Bun.spawnSync(["git", "add", "-A"], { cwd: where.root });
  const said = await output(where, "git diff --cached");
  expect(said.split("is shown")).toHaveLength(names.length + 1);
});

test("every kind of secret file is left out of what git prints", async () => {
  const where = await room({ sandbox: "off" });
  const names = secretNames.trim().split(/\s+/);
  git(where.root, "init", "-q", "-b", "main");
  for (const name of [...names, "src/env.ts", "src/token.ts"]) where.put(name, `in ${name};\n`);
  git(where.root, "add", "-Af");
  git(where.root, "commit", "-qm", "first");
  for (const command of ["git show HEAD", "git grep in HEAD", "git log -p"]) {
    const printed = await output(where, command);
    expect(names.filter((name) => printed.includes(`in ${name};`))).toEqual([]);
    expect(printed).toContain("in src/env.ts;");
    expect(printed).toContain("in src/token.ts;");
  }
});

test("a file is not printed by the hash of its content", async () => {
  const where = await repository();
  const hash = Bun.spawnSync(["git", "rev-parse", "HEAD:.env"], { cwd: where.root });
  const blob = hash.stdout.toString().trim();
  const empty = Bun.spawnSync(["git", "hash-object", "-w", "--stdin"], {
    cwd: where.root,
    stdin: new Blob([]),
  });
  const other = empty.stdout.toString().trim();
  for (const command of [
    `git show ${blob}`,
    `git diff ${other} ${blob}`,
    `git diff ${other}..${blob}`,
    `git diff ${other}...${blob}`,
    `git log -p ${blob}`,
    `git grep KEY ${blob}`,
    `git show HEAD^{tree} ${blob}`,
    `git show ${blob}^{}`,
    `git show ${blob}^{blob}`,
    `git show ${blob}^{object}`,
    `git show ${blob}^{blob}^{}`,
    `git show HEAD ${blob}^{blob}`,
    `git log -p ${blob}^{blob}`,
    `git diff ${other}^{blob}..${blob}^{blob}`,
    `git grep KEY ${blob}^{}`,
    `git grep KEY ${blob}^{blob}`,
  ]) {
    expect(await output(where, command)).not.toContain("KEY=secret");
  }
  for (const command of [`git show ${blob}..HEAD:a.txt`, `git diff ${blob}...HEAD:a.txt`])
    expect(await review(where, command)).toBe("ask");
});

/** Each would make a plain `git status`, `diff` or `log` run something or read elsewhere. */
const hostile: Record<string, (at: Room) => void> = {
  "fsmonitor in the configuration": (it) => config(it, '[core]\n\tfsmonitor = "touch pwned; :"'),
  "fsmonitor in capital letters": (it) => config(it, "[CORE]\n\tFSMonitor = ./evil"),
  "fsmonitor in the line of the section": (it) => config(it, "[core] fsmonitor = ./evil"),
  "a continued line": (it) => config(it, "[core]\n\tfsmon\\\nitor = ./evil"),
  "a value that continues": (it) =>
    config(it, "[user]\n\tname = a\\\n[core]\n\tfsmonitor = ./evil"),
  "an external diff": (it) => config(it, "[diff]\n\texternal = ./evil"),
  "a text conversion": (it) => config(it, '[diff "x"]\n\ttextconv = ./evil'),
  "a diff command": (it) => config(it, '[diff "x"]\n\tcommand = ./evil'),
  "a clean filter": (it) => config(it, '[filter "x"]\n\tclean = ./evil'),
  "a process filter": (it) => config(it, '[filter "x"]\n\tprocess = ./evil'),
  "an include": (it) => config(it, "[include]\n\tpath = ../evil.config"),
  "a conditional include": (it) => config(it, '[includeIf "gitdir:/"]\n\tpath = ../evil.config'),
  "a pager": (it) => config(it, "[core]\n\tpager = ./evil"),
  "a pager of one command": (it) => config(it, "[pager]\n\tstatus = ./evil"),
  "an ssh command": (it) => config(it, "[core]\n\tsshCommand = ./evil"),
  "an alias": (it) => config(it, "[alias]\n\tst = !./evil"),
  "a worktree elsewhere": (it) => config(it, "[core]\n\tworktree = /"),
  "worktree configuration": (it) => {
    config(it, "[extensions]\n\tworktreeConfig = true");
    writeFileSync(join(it.root, ".git/config.worktree"), "[core]\n\tfsmonitor = ./evil\n");
  },
  "an extension": (it) => config(it, "[extensions]\n\tpartialClone = origin"),
  "lazy fetching": (it) =>
    config(it, '[remote "origin"]\n\tpromisor = true\n\tuploadpack = ./evil'),
  "a transport that runs programs": (it) => config(it, '[remote "o"]\n\turl = ext::./evil'),
  "a credential helper": (it) => config(it, "[credential]\n\thelper = !./evil"),
  gpg: (it) => config(it, "[gpg]\n\tprogram = ./evil"),
  bare: (it) => config(it, "[core]\n\tbare = true"),
  "a submodule": (it) => config(it, '[submodule "x"]\n\tactive = true'),
  "a subsection with quotes": (it) => config(it, '[branch "a\\"b"]\n\tmerge = x'),
  "`.git` as a file": (it) => {
    renameSync(join(it.root, ".git"), join(it.outside, "git"));
    writeFileSync(join(it.root, ".git"), `gitdir: ${join(it.outside, "git")}\n`);
  },
  "`.git` as a symlink": (it) => {
    renameSync(join(it.root, ".git"), join(it.outside, "git"));
    symlinkSync(join(it.outside, "git"), join(it.root, ".git"));
  },
  "a common folder elsewhere": (it) => writeFileSync(join(it.root, ".git/commondir"), "/tmp\n"),
  "objects elsewhere": (it) => {
    mkdirSync(join(it.root, ".git/objects/info"), { recursive: true });
    writeFileSync(join(it.root, ".git/objects/info/alternates"), "/tmp\n");
  },
  "a pipe as configuration": (it) => pipe(it, ".git/config"),
  "a pipe as .gitignore": (it) => pipe(it, ".gitignore"),
  "a pipe as .gitattributes": (it) => pipe(it, ".gitattributes"),
  "a pipe as list of shallow commits": (it) => pipe(it, ".git/shallow"),
  "a pipe as index": (it) => pipe(it, ".git/index"),
  "a pipe as HEAD": (it) => pipe(it, ".git/HEAD"),
  "/dev/zero as configuration": (it) => replaceBy(it, ".git/config", "/dev/zero"),
  "/dev/zero as .gitignore": (it) => replaceBy(it, ".gitignore", "/dev/zero"),
  "/dev/zero as excludes": (it) => replaceBy(it, ".git/info/exclude", "/dev/zero"),
  "enormous configuration": (it) => config(it, "# ".padEnd(1_000_000, "x")),
};

function config(it: Room, text: string): void {
  appendFileSync(join(it.root, ".git/config"), `${text}\n`);
}

function pipe(it: Room, path: string): void {
  rmSync(join(it.root, path), { force: true });
  Bun.spawnSync(["mkfifo", path], { cwd: it.root });
}

function replaceBy(it: Room, path: string, target: string): void {
  rmSync(join(it.root, path), { force: true });
  mkdirSync(join(it.root, path, ".."), { recursive: true });
  symlinkSync(target, join(it.root, path));
}

test.each(Object.entries(hostile))("with %s, git is asked about", async (_, prepare) => {
  const where = await repository();
  expect(await review(where, "git status")).toBe("allow");
  prepare(where);
  for (const command of ["git status", "git diff", "git log -p", "cd sub && git status"]) {
    expect(await review(where, command)).toBe("ask");
  }
});

test("a bare repository in the checkout is asked about", async () => {
  const where = await repository();
  git(where.root, "clone", "-q", "--bare", ".", "evil");
  appendFileSync(join(where.root, "evil/config"), "[core]\n\tfsmonitor = touch pwned\n");
  for (const folder of ["evil", "evil/hooks", "evil/objects"]) {
    expect(await review(where, `cd ${folder} && git status`)).toBe("ask");
    expect(await review(where, `cd ${folder}; git log`)).toBe("ask");
  }
});

test("a repository that reaches above the workspace is asked about", async () => {
  const where = await repository();
  const inner = await room({ sandbox: "off", workspace: join(where.root, "sub") });
  expect(await review(inner, "git status")).toBe("ask");
  expect(await review(inner, "git show HEAD:.env")).toBe("ask");
});

test("hooks and attributes of an ordinary repository run nothing", async () => {
  const where = await repository();
  config(where, "[core]\n\thooksPath = .husky\n\tfsmonitor = true");
  for (const name of [
    "post-index-change",
    "post-checkout",
    "pre-auto-gc",
    "reference-transaction",
  ]) {
    for (const folder of [".husky", ".git/hooks"]) {
      mkdirSync(join(where.root, folder), { recursive: true });
      writeFileSync(join(where.root, folder, name), "#!/bin/sh\ntouch pwned\n", { mode: 0o755 });
    }
  }
  where.put(".gitattributes", "* diff=evil filter=evil merge=evil text eol=crlf\n");
  for (const command of ["git status", "git diff", "git log -p", "git show", "git blame a.txt"]) {
    await output(where, command);
  }
  expect(existsSync(join(where.root, "pwned"))).toBe(false);
});

test("a token in an address is not shown", async () => {
  const where = await repository();
  expect(await review(where, "git remote -v")).toBe("allow");
  config(where, '[remote "origin"]\n\turl = https://me:token@example.com/x.git');
  for (const command of [
    "git remote -v",
    "git remote get-url origin",
    "cat .git/config",
    "grep url .git/config",
    "head .git/config",
  ]) {
    expect(await review(where, command)).toBe("ask");
  }
  expect(await review(where, "git status")).toBe("allow");
});
