/** What a session in a trusted folder is told of its git, which runs nothing that is configured. */

import { afterAll, expect, test } from "bun:test";
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leave, temporaryFolder } from "../../tools/room.ts";
import { gitTold, projectIn } from "../program.ts";

afterAll(leave);

/** A repository with a commit, and changes of these files. */
function repository(...files: string[]) {
  const at = projectIn(temporaryFolder());
  const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: at.project });
  git("init", "-q", "-b", "main");
  for (const name of files) at.put(name, "one\n");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first");
  for (const name of files) at.put(name, "two\n");
  return at;
}

test("git answers in an ordinary repository and below its root", async () => {
  const at = repository("a.txt");
  expect(await gitTold(at)).toMatch(/^branch main, 1 file changed\nLast commits:\n {2}\w+ first/);
  mkdirSync(join(at.project, "sub"));
  expect(await gitTold(at, { cwd: join(at.project, "sub") })).toStartWith("branch main, 1 file");
  expect(await gitTold(projectIn(temporaryFolder()))).toBe("not a repository");
});

const config = `[core]
	fsmonitor = touch pwned; :
	hooksPath = hooks
	pager = touch pwned
[include]
	path = ../included
[filter "X.y"]
	process = touch pwned
	required = true
[merge "x"]
	driver = touch pwned
[diff "x"]
	textconv = touch pwned; cat
	command = touch pwned
[diff]
	external = touch pwned
[log]
	showSignature = true
[gpg]
	program = touch pwned; false
[extensions]
	partialClone = o
[remote "o"]
	promisor = true
	url = ext::sh -c touch% pwned
	uploadpack = touch pwned
[alias]
	status = !touch pwned
`;

test("git runs nothing that a repository or the user configures", async () => {
  const at = repository("a.txt", "b");
  at.put(".git/info/attributes", "* filter=x diff=x\n*.txt filter=X.y\n");
  at.put("included", '[filter "x"]\n\tclean = touch pwned; cat\n\tsmudge = touch pwned; cat\n');
  for (const folder of ["hooks", ".git/hooks"])
    for (const hook of ["post-index-change", "post-checkout", "reference-transaction"])
      chmodSync(at.put(`${folder}/${hook}`, "#!/bin/sh\ntouch pwned\n"), 0o755);
  appendFileSync(join(at.project, ".git/config"), config);
  writeFileSync(join(at.home, ".gitconfig"), "[core]\n\tfsmonitor = touch pwned; :\n");
  expect(await gitTold(at)).toStartWith("branch main, 4 files changed");
  expect(await gitTold(at, {}, ["--worktree", "tree"])).toContain("branch worktree-tree");
  const ran = new Bun.Glob("**/pwned").scanSync({ cwd: at.project, dot: true });
  expect([...ran]).toEqual([]);
});

/** A folder for the PATH with another git in it. */
function otherGit(script: string): string {
  const bin = temporaryFolder();
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `${bin}:/usr/bin:/bin`;
}

test.each([
  // A child that keeps the pipe open does not hold up the answer.
  ["echo main; sleep 600 & exit 0", "branch main, 1 file changed"],
  ['GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec /usr/bin/git "$@"', "branch main, 1 file changed"],
  ["echo x; exit 1", "not a repository"],
  ["yes", "not a repository"],
])("git that does this: %s", async (script, told) => {
  const env = { PATH: otherGit(script) };
  expect(await gitTold(repository("a.txt"), { env })).toStartWith(told);
});

test("git gets no other variables of the environment", async () => {
  const at = repository("a.txt");
  const seen = join(at.project, "seen");
  const env = { PATH: otherGit(`env > ${seen}`), GIT_DIR: "/x", TOKEN: "secret" };
  await gitTold(at, { env });
  const text = readFileSync(seen, "utf8");
  expect(text).not.toMatch(/secret|GIT_DIR/);
  expect(text).toContain("GIT_CONFIG_GLOBAL=/dev/null");
});
