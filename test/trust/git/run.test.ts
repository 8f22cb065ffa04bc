import { afterAll, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { runGit } from "../../../src/trust/git/run.ts";
import { leave, temporaryFolder } from "../../tools/room.ts";

afterAll(leave);

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nowhere" };

function repository(): string {
  const root = temporaryFolder();
  const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: root, env });
  git("init", "-q", "-b", "main");
  writeFileSync(join(root, "a.txt"), "one\n");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first");
  writeFileSync(join(root, "a.txt"), "two\n");
  return root;
}

const status = (root: string) => runGit(root, ["status", "--porcelain"], env);

test("git answers in an ordinary repository and below its root", async () => {
  const root = repository();
  expect(await status(root)).toBe(" M a.txt");
  mkdirSync(join(root, "sub"));
  expect(await runGit(join(root, "sub"), ["rev-parse", "--abbrev-ref", "HEAD"], env)).toBe("main");
  expect(await status(temporaryFolder())).toBeNull();
  expect(await status("/nowhere")).toBeNull();
});

test.each([
  '[filter "x"]\n\tclean = touch pwned; cat',
  '[filter "X.y"]\n\tprocess = touch pwned\n\trequired = true',
  "[core]\n\tfsmonitor = touch pwned; :",
  "[core]\n\thooksPath = hooks\n\tpager = touch pwned",
  "[include]\n\tpath = ../evil",
  '[diff "x"]\n\ttextconv = touch pwned; cat\n\tcommand = touch pwned',
  "[diff]\n\texternal = touch pwned",
  "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = touch pwned; false",
  '[extensions]\n\tpartialClone = o\n[remote "o"]\n\tpromisor = true\n\turl = ext::sh -c touch% pwned\n\tuploadpack = touch pwned',
  "[alias]\n\tstatus = !touch pwned",
])("git runs nothing of %j", async (config) => {
  const root = repository();
  writeFileSync(join(root, ".gitattributes"), "* filter=x diff=x\n*.txt filter=X.y\n");
  writeFileSync(join(root, "evil"), '[filter "x"]\n\tclean = touch pwned; cat\n');
  mkdirSync(join(root, "hooks"));
  for (const hook of ["post-index-change", "post-checkout", "reference-transaction"])
    writeFileSync(join(root, "hooks", hook), "#!/bin/sh\ntouch pwned\n", { mode: 0o755 });
  appendFileSync(join(root, ".git/config"), `${config}\n`);
  expect(await status(root)).toContain(" M a.txt");
  expect(await runGit(root, ["diff"], env)).toContain("+two");
  expect(await runGit(root, ["log", "-p"], env)).toContain("+one");
  const tree = join(temporaryFolder(), "tree");
  expect(await runGit(root, ["worktree", "add", "-q", "-b", "b", "--", tree], env)).toBe("");
  for (const at of [root, tree]) expect(existsSync(join(at, "pwned"))).toBe(false);
});

test("hooks and settings of the user run nothing", async () => {
  const root = repository();
  const home = temporaryFolder();
  const hook = join(root, ".git/hooks/post-index-change");
  writeFileSync(hook, "#!/bin/sh\ntouch pwned\n", { mode: 0o755 });
  writeFileSync(join(home, ".gitconfig"), "[core]\n\tfsmonitor = touch pwned; :\n");
  expect(await runGit(root, ["status", "--porcelain"], { ...env, HOME: home })).toBe(" M a.txt");
  expect(existsSync(join(root, "pwned"))).toBe(false);
});

/** A folder for the PATH with another git in it. */
function otherGit(script: string): string {
  const bin = temporaryFolder();
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, "git"), 0o755);
  return `${bin}:/usr/bin:/bin`;
}

test("a child that keeps the pipe open does not hold up the answer", async () => {
  const PATH = otherGit("echo main; sleep 600 & exit 0");
  expect(await runGit(repository(), ["x"], { PATH })).toBe("main");
});

test("git that fails or prints endlessly has no answer", async () => {
  const root = repository();
  expect(await runGit(root, ["x"], { PATH: otherGit("echo x; exit 1") })).toBeNull();
  expect(await runGit(root, ["x"], { PATH: otherGit("yes") })).toBeNull();
  expect(await runGit(root, ["x"], { PATH: "/nowhere" })).toBeNull();
});

test("git gets no other variables of the environment", async () => {
  const root = repository();
  const seen = join(root, "seen");
  await runGit(root, ["x"], { PATH: otherGit(`env > ${seen}`), GIT_DIR: "/x", TOKEN: "secret" });
  const text = readFileSync(seen, "utf8");
  expect(text).not.toContain("secret");
  expect(text).not.toContain("GIT_DIR");
  expect(text).toContain("GIT_CONFIG_GLOBAL=/dev/null");
});
