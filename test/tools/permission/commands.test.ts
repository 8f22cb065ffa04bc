import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dangerOf } from "../../../src/tools/permission/danger.ts";
import { type Room, leave, room } from "../room.ts";

afterAll(leave);

let at: Room;

beforeAll(async () => {
  at = await room();
  at.put("a.txt", "a");
  at.put("sub/b.txt", "b");
  at.put(".env", "KEY=1");
  at.put("server.pem", "secret");
  writeFileSync(join(at.outside, "o.txt"), "o");
  symlinkSync(join(at.outside, "o.txt"), join(at.root, "link.txt"));
  mkdirSync(join(at.root, ".git"), { recursive: true });
});

const verdict = async (command: string) => (await at.review("bash", { command })).verdict;

test.each([
  "ls",
  "ls -la sub",
  "cat a.txt",
  "cat a.txt | head -n 3 | wc -l",
  "pwd && ls; echo done",
  "cd sub && cat b.txt",
  "git status",
  "git log --oneline -5",
  "git diff HEAD~1 -- a.txt",
  "git show HEAD:a.txt",
  "git branch -a",
  "rg -n 'foo|bar' sub",
  "grep -n foo a.txt 2>/dev/null",
  "find . -name '*.ts' -type f",
  "echo 'rm -rf /'",
  "wc -l a.txt > /dev/null 2>&1",
  "sort -rn a.txt | uniq -c",
  "which bun || true",
])("%j is free", async (command) => {
  expect(await verdict(command)).toBe("allow");
});

test.each([
  // Not known to be harmless.
  "npm test",
  "touch x",
  "python3 -c 'print(1)'",
  "env ls",
  "FOO=1 ls",
  "PATH=. ls",
  "./ls",
  "/tmp/ls",
  "xargs cat",
  "awk 1 a.txt",
  "sed -n 1p a.txt",
  // Hidden behind something harmless.
  "ls; touch x",
  "ls && touch x",
  "ls | tee x",
  "ls\ntouch x",
  "echo hi > x",
  "cat a.txt >> x",
  "echo $(touch x)",
  'echo "$(touch x)"',
  "echo `touch x`",
  "ls & touch x",
  "cat <(touch x)",
  "cat < a.txt",
  "ls $FLAGS",
  "ls {a,b}",
  "l''s x; 't'ouch y",
  // Options that write, run or read elsewhere.
  "find . -delete",
  "find . -exec touch {} +",
  "find . -fprintf x %p",
  "sort -o x a.txt",
  "sort --output=x a.txt",
  "sort --outp=x a.txt",
  "sort --compress-program=./x a.txt",
  "rg --pre ./x foo",
  "rg --hidden KEY",
  "rg -uu KEY",
  "grep -r KEY .",
  "grep -nR KEY .",
  "tail -f a.txt",
  "tree -o x",
  "uniq a.txt x",
  "date -s 2020-01-01",
  "git diff --output=x",
  "git diff --outp=x",
  "git diff --ext-diff",
  "git -c core.pager=./x log",
  "git -C .. log",
  "git --git-dir=x log",
  "git commit -m x",
  "git branch new",
  "git branch -D main",
  "git tag v1",
  "git remote add x y",
  "git stash",
  "git grep -O./x foo",
  // Paths that are not free to read.
  "cat /etc/passwd",
  "cat ../outside/o.txt",
  "cat ~/.ssh/id_rsa",
  "cat link.txt",
  "cat .env",
  "cat './.env'",
  "cat sub/../.env",
  "cat server.pem",
  "cat *",
  "cat .e*",
  "cat .[e]nv",
  "cat .en?",
  "git show HEAD:.env",
  "head -c100 /etc/passwd",
  "wc --files0-from=/etc/passwd",
  "cd / && ls",
  "cd .. && cat outside/o.txt",
  "cd sub | cat ../../outside/o.txt",
  "cd nowhere; cat ../outside/o.txt",
  "cd && cat .bashrc",
  "cd - && ls",
  // Whether the cd came about is not known.
  "cd sub && ls ..",
  "ls /root",
  "find / -name x",
])("%j is asked", async (command) => {
  expect(await verdict(command)).toBe("ask");
});

test.each([
  "rm -rf /",
  "rm -fr /*",
  "rm -r -f --no-preserve-root //",
  "rm -rf /usr/../",
  "rm -rf ~",
  "rm -rf ~/",
  "rm -rf $HOME",
  'rm -rf "$HOME"/*',
  "rm -rf ${HOME}",
  "rm -rf /home/someone",
  "\\rm -rf /etc",
  "/bin/rm -rf /",
  "r''m -rf '/'",
  "ls; rm -rf /",
  "ls || (rm -rf /)",
  "echo $(rm -rf /)",
  'echo "$(rm -rf /)"',
  "sudo rm -rf /",
  "sudo -u root rm -rf /",
  "env -i A=1 nohup timeout 5 rm -rf /",
  "echo / | xargs rm -rf /",
  "bash -c 'rm -rf /'",
  'sh -ec "rm -rf /"',
  "eval rm -rf /",
  "cd / && rm -rf *",
  "cd ~; rm -r .",
  "bash <<EOF\nrm -rf /\nEOF",
  "if true; then rm -rf /; fi",
  "find / -delete",
  "find / -type f -exec rm {} +",
  "chmod -R 777 /",
  "chown -R me /usr",
  "mkfs.ext4 /dev/sda1",
  "mkfs /dev/sda1",
  "dd if=/dev/zero of=/dev/sda",
  "echo x > /dev/sda",
  "cat x | tee /dev/nvme0n1",
  ":(){ :|:& };:",
  "bomb() { bomb | bomb & }; bomb",
  "shutdown -h now",
  "sudo reboot",
  "systemctl poweroff",
  "init 0",
  "kill -9 -1",
  "mv /usr /tmp/x",
])("%j is refused in every mode", async (command) => {
  for (const mode of ["default", "accept-edits", "plan", "bypass"] as const) {
    at.box.mode = mode;
    expect(await verdict(command)).toBe("refuse");
  }
  at.box.mode = "default";
});

test.each([
  "sudo ls",
  "env sudo ls",
  "git push --force",
  "git push -f origin main",
  "git push --force-with-lease=main",
  "git push origin +main",
  "git push origin :main",
  "git reset --hard",
  "git clean -fdx",
  "git checkout .",
  "git checkout -- .",
  "rm -rf build",
  "rm -r .",
  "find . -name x -delete",
  "kill 1",
  "pkill node",
])("%j is warned of and never allowed for the session", async (command) => {
  const review = await at.review("bash", { command });
  expect(review.verdict).toBe("ask");
  if (review.verdict !== "ask") return;
  expect(review.ask.title).toContain("Careful");
  expect(review.ask.rule).toContain("asked every time");
});

test.each([
  "git commit -m 'never rm -rf /'",
  'echo "rm -rf / is bad" > notes.md',
  "cat > notes.md <<'EOF'\nrm -rf /\nEOF",
  "# rm -rf /",
  "grep -rn 'shutdown' src",
  "rm a.txt",
  "rm -f a.txt /tmp/x",
  "git push origin main",
  "npm run reboot",
  "mkdir -p home/etc",
])("%j is no danger", (command) => {
  expect(dangerOf(command)).toBeNull();
});

test("hostile command lines are judged in no time", async () => {
  const started = performance.now();
  for (const line of [
    "env ".repeat(20_000) + "rm",
    "xargs " + "a ".repeat(40_000),
    "a".repeat(90_000) + "()",
    "$(".repeat(30_000),
    '"$('.repeat(20_000),
    "`".repeat(50_000),
    "<<a\n".repeat(20_000),
    "bash -c ".repeat(2_000),
  ]) {
    await at.review("bash", { command: line });
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("settings of the repository that run programs make git ask", async () => {
  const mine = await room();
  mine.put(".git/config", "[core]\n\tbare = false\n");
  const review = async () => (await mine.review("bash", { command: "git status" })).verdict;
  expect(await review()).toBe("allow");
  mine.put(".git/config", "[core]\n\tfsmonitor = ./evil\n");
  expect(await review()).toBe("ask");
});
