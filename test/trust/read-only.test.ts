import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Room, leave, room } from "../tools/room.ts";

afterAll(leave);

let at: Room;

beforeAll(async () => {
  at = await room({ sandbox: "off" });
  at.put("a.txt", "a\n");
  at.put("README.md", "# It\n");
  at.put("sub/b.txt", "b\n");
  at.put("sub/deep/c.txt", "c\n");
  at.put(".env", "KEY=1\n");
  at.put("server.pem", "secret\n");
  mkdirSync(join(at.outside, ".aws"));
  writeFileSync(join(at.outside, ".aws/credentials"), "key\n");
  writeFileSync(join(at.outside, "o.txt"), "o\n");
  symlinkSync(join(at.outside, "o.txt"), join(at.root, "link.txt"));
  symlinkSync(".env", join(at.root, "innocent.txt"));
  symlinkSync(at.outside, join(at.root, "way"));
  mkdirSync(join(at.outside, "deep"));
  symlinkSync(join(at.outside, "deep"), join(at.root, "sub/up"));
  symlinkSync("loop", join(at.root, "loop"));
  symlinkSync("/proc/self/environ", join(at.root, "notes.txt"));
  symlinkSync("/proc/self/cwd", join(at.root, "here"));
  Bun.spawnSync(["mkfifo", "pipe"], { cwd: at.root });
});

const verdict = async (command: string) => (await at.review("Bash", { command })).verdict;

test.each([
  "ls",
  "ls -la sub",
  "ls -l --color=never sub a.txt",
  "cat a.txt",
  "cat a.txt README.md",
  "cat < a.txt",
  "cat missing.txt",
  "cat a.txt | head -n 3 | wc -l",
  "head -20 README.md",
  "tail -n +2 README.md",
  "sed -n '1,20p' README.md",
  "wc -l a.txt > /dev/null 2>&1",
  "pwd && ls; echo done",
  "cd sub && cat b.txt",
  "cd sub && ls && pwd",
  "grep -n foo a.txt 2>/dev/null",
  "grep -e -x -- a.txt",
  "grep -A 3 -in 'foo|bar' a.txt sub/b.txt",
  "cat a.txt | grep -v foo | sort | uniq -c | sort -rn",
  "echo 'rm -rf /'",
  "printf '%s\\n' one two",
  "sort -rn a.txt | uniq -c",
  "which bun || true",
  "type git",
  "command -v bun",
  "test -f a.txt && echo yes",
  "jq -r '.[] | select(.a == 1)' a.txt",
  "cat a.txt | jq .",
  "[ -d sub ] || echo no",
  "diff a.txt sub/b.txt",
  "stat -c %s a.txt",
  "file a.txt",
  "basename /some/path .x",
  "basename /some/path",
  "dirname /some/path",
  "realpath a.txt",
  "readlink -f a.txt",
  "which bun",
  "date +%F",
  "cut -d, -f1 a.txt",
  "tr a-z A-Z < a.txt",
  "seq 1 3",
  "uname -a",
  "cat sub/../a.txt",
  "cat ./sub/./b.txt",
  "tr -d x < a.txt",
  "tr a < a.txt",
  "seq 3",
  "seq 1 2 9",
  "id -un",
  "id root",
  "uniq -c a.txt",
  "pwd -P",
  "true",
  "exit 1",
  "printf '%5.2f%%\\n' 3",
  "printf '%-10s|' a",
  "date -u +%s",
  "date -Iseconds",
  "sed -n '1p;3,$p' a.txt sub/b.txt",
  "test ! -e missing.txt",
  "test -n x",
  "[ ! -z x ]",
  "ls --color sub",
  "ls --color=auto sub",
  "sort -k 2,2 -t , a.txt",
  "sort -k2 a.txt",
  "head -n -3 a.txt",
  "head --lines=10k a.txt",
  "grep --regexp=x a.txt",
  "grep --regexp x a.txt",
  "grep -ex a.txt",
])("%j runs without approval", async (command) => {
  expect(await verdict(command)).toBe("allow");
});

const asked: Record<string, string[]> = {
  "is not known to be harmless": [
    "npm test",
    "touch x",
    "python3 -c 'print(1)'",
    "env ls",
    "env",
    "printenv",
    "FOO=1 ls",
    "PATH=. ls",
    "./ls",
    "/tmp/ls",
    "../ls",
    "sub/ls",
    "/bin/ls",
    "xargs cat",
    "awk 1 a.txt",
    "perl -pe 1 a.txt",
    "tee a.txt",
    "xxd a.txt",
    "less a.txt",
    "ps aux",
    "man ls",
    "sleep 1",
    "curl http://localhost",
    "source a.txt",
    ". a.txt",
    "alias ls=x",
    "export PATH=.",
    "set -e",
    "unset PATH",
    "hash -p ./x ls",
    "enable -f ./x x",
    "exec ls",
    "bind -x x",
    "mapfile < a.txt",
    "read x",
    "let x=1",
    "declare -x PATH=.",
    "shopt -s expand_aliases",
    "trap ls EXIT",
    "ulimit -c unlimited",
    "command ls",
    "command -v ls cat",
    "command -v ./ls",
    "which ./ls",
    "which",
    "true x",
    "exit 1 2",
    "pwd x",
    "id a b",
    "arch -x",
  ],
  "is not complete, or too much": [
    "grep",
    "grep -n",
    "comm a.txt",
    "comm a.txt sub/b.txt README.md",
    "cmp a.txt",
    "cmp a.txt sub/b.txt README.md",
    "diff a.txt",
    "diff a.txt sub/b.txt README.md",
    "stat",
    "file",
    "realpath",
    "readlink -f",
    "type",
    "cd sub sub",
    "basename",
    "dirname",
    "seq",
    "seq 1 2 3 4",
    "tr",
    "tr a b c",
    "test",
    "test -f",
    "test -f a.txt x",
    "test ! -f a.txt x",
    "[ -f a.txt",
    "printf",
    "head -n",
    "head -n x a.txt",
    "head --quiet=yes a.txt",
    "ls --color='a b'",
    "sed -n",
    "sort -k '2 3' a.txt",
  ],
  "is hidden behind something harmless": [
    "ls; touch x",
    "ls && touch x",
    "ls || touch x",
    "ls | tee x",
    "ls\ntouch x",
    "ls & touch x",
    "echo hi > x",
    "cat a.txt >> x",
    "echo hi >| x",
    "echo hi &> x",
    "echo evil >'1'>&1 /dev/null",
    'echo evil >"2"',
    "echo hi 1<> x",
    "echo $(touch x)",
    'echo "$(touch x)"',
    "echo `touch x`",
    "cat <(touch x)",
    "ls >(touch x)",
    "ls $FLAGS",
    "ls ${x:=y}",
    "ls $((x=1))",
    "echo ${x@P}",
    "l''s x; 't'ouch y",
    "ls \\\n; touch x",
    "ls # \ntouch x",
    "if ls; then touch x; fi",
    "ls() { touch x; }; ls",
    "coproc touch x",
    "time touch x",
    "! touch x",
    "[[ -v x ]]",
    "(( x = 1 ))",
  ],
  "assigns or formats its way to another program": [
    "printf 'abc%n' PATH; ls",
    "printf -v PATH . ; ls",
    "printf '%s%n' a PATH",
    "printf -- '%n' PATH",
    "printf '%*d' 3 4",
    "printf '%(%s)T'",
    "test -v 'a[$(touch x)]'",
    "[ -v 'a[0]' ]",
    "[ a -eq b ]",
    "cd -P sub",
    "cd -",
    "cd",
    "cd ~",
  ],
  "has an option that writes, runs or reads elsewhere": [
    "sort -o x a.txt",
    "sort -ox a.txt",
    "sort --output=x a.txt",
    "sort --outp=x a.txt",
    "sort --compress-program=./x a.txt",
    "sort -T sub a.txt",
    "sort --files0-from=a.txt",
    "sort --random-source=.env a.txt",
    "uniq a.txt x",
    "tail -f a.txt",
    "tail --follow a.txt",
    "tail -F a.txt",
    "tree -o x",
    "tree --fromfile .",
    "tree -R -H . -o x",
    "date -s 2020-01-01",
    "date -f .env",
    "date --file=.env",
    "date -r .env",
    "date 010100002020",
    "wc --files0-from=/etc/passwd",
    "wc --files0-from=.env",
    "wc --f=.env",
    "wc --files=.env",
    "du --files0-from=.env",
    "du --files0=.env",
    "du -X .env",
    "file -f .env",
    "file --files-from .env",
    "file -m .env a.txt",
    "grep -f .env a.txt",
    "grep -f.env a.txt",
    "grep --file=.env a.txt",
    "grep --fil=.env a.txt",
    "grep -nf .env a.txt",
    "grep -r KEY .",
    "grep -nR KEY .",
    "grep --recursive KEY",
    "grep --dereference-recursive KEY .",
    "grep -d recurse KEY .",
    "grep --directories=recurse KEY .",
    "grep --exclude-from=.env x a.txt",
    "md5sum -c .env",
    "sha256sum --check .env",
    "diff -r . sub",
    "diff -N . sub",
    "diff --from-file=.env a.txt",
    "diff --to-file .env a.txt",
    "diff --starting-file=x . sub",
    "diff a.txt sub",
    "diff sub .",
    "diff -l a.txt sub/b.txt",
    "sed -n '1w x' a.txt",
    "sed -n 1e a.txt",
    "sed -n '1,3p;r .env' a.txt",
    "sed -i s/a/b/ a.txt",
    "sed -f .env a.txt",
    "sed 1p a.txt",
    "sed -n -s 1p a.txt",
    "od --files=x",
    "tac --regex a.txt",
    "ls --dired --zero",
    "column -J -N x a.txt",
    "nl --x a.txt",
    "head --byt=3 a.txt",
  ],
  "reads more than it names": [
    "rg KEY",
    "rg KEY .",
    "rg --hidden KEY",
    "rg --pre ./x KEY",
    "find . -name x",
    "find . -delete",
    "find . -exec touch {} +",
    "find . -fprintf x %p",
    "find -L . -name x",
    "jq env",
    "jq 'import \"x\" as x; .' a.txt",
    "jq -n '$ENV'",
    "jq --slurpfile x .env . a.txt",
    "jq -f .env a.txt",
    "jq -L . . a.txt",
    "jq 'include \"x\"; .' a.txt",
    "jq . .env",
    "jq --rawfile x .env . a.txt",
    "jq get_search_list a.txt",
    "jq '$__prog_args, ENV.KEY' a.txt",
    "du -sh .",
    "cat *",
    "cat .e*",
    "cat .[e]nv",
    "cat .en?",
    "cat {.env,a.txt}",
    "cat sub/*",
    "ls *",
    "head -n1 .e*",
  ],
  "names what is not open": [
    "cat /etc/passwd",
    "cat ../outside/o.txt",
    "cat ~/.ssh/id_rsa",
    "cat ~root/.bashrc",
    "cat link.txt",
    "cat innocent.txt",
    "cat way/o.txt",
    "cat way/.aws/credentials",
    "cat .env",
    "cat './.env'",
    "cat .en\\v",
    "cat $'.env'",
    "cat sub/../.env",
    "cat sub/up/../.aws/credentials",
    "cat sub/deep/../up/../o.txt",
    "cat here/../outside/o.txt",
    "cat here/.env",
    "cat server.pem",
    "cat < .env",
    "cat < /etc/passwd",
    "grep x .env",
    "grep -e x a.txt .env",
    "wc .env",
    "head -c100 /etc/passwd",
    "head -c100 -- /etc/passwd",
    "tail -n1 .env",
    "sort .env",
    "cut -c1- .env",
    "od -c .env",
    "diff .env a.txt",
    "cmp a.txt .env",
    "base64 .env",
    "sed -n 1p .env",
    "tr a b < .env",
    "ls /root",
    "ls ..",
    "ls way",
    "stat /etc/shadow",
    "file /etc/passwd",
    "tree /",
    "test -f /etc/shadow",
    "realpath /root",
  ],
  "names no regular file": [
    "cat pipe",
    "head -c1 pipe",
    "wc -l pipe",
    "cat < pipe",
    "grep x pipe",
    "cat /dev/zero",
    "cat notes.txt",
    "cat loop",
    "cat loop/x",
    "diff pipe a.txt",
    "sort pipe",
  ],
  "may run in another folder": [
    "cd / && ls",
    "cd .. && cat outside/o.txt",
    "cd way && cat o.txt",
    "cd sub/up && cat ../o.txt",
    "cd sub | cat ../../outside/o.txt",
    "cd nowhere; cat ../outside/o.txt",
    "cd && cat .bashrc",
    "cd - && ls",
    "cd sub && ls ..",
    "cd sub && ls ../..",
    "cd a.txt && ls",
    "cd here && ls",
  ],
};

for (const [why, commands] of Object.entries(asked)) {
  test.each(commands)(`%j is asked about: it ${why}`, async (command) => {
    expect(await verdict(command)).toBe("ask");
  });
}

test("links are followed as far as the kernel follows them", async () => {
  for (let n = 1; n <= 41; n += 1)
    symlinkSync(n === 1 ? "a.txt" : `chain${n - 1}`, join(at.root, `chain${n}`));
  expect(await verdict("cat chain40")).toBe("allow");
  expect(await verdict("cat chain41")).toBe("ask");
});

test("a read-only line is run as it was judged, not as it was written", async () => {
  const say = async (command: string): Promise<string> => {
    const call = { type: "tool_use", id: command, name: "Bash", input: { command } } as const;
    expect((await at.box.review(call)).verdict).toBe("allow");
    const outcome = await at.box.run(call, {
      signal: new AbortController().signal,
      progress: () => undefined,
      background: new Promise(() => undefined),
      ask: async () => ({ allow: false as const }),
    });
    return outcome.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  };
  expect(await say("cd sub && pwd; cat < b.txt | tr a-z A-Z")).toBe(`${join(at.root, "sub")}\nB`);
  expect(await say("cd .. && ls -d sub")).toBe("sub");
  expect(await say("echo 'a b'  \"c\" 2>&1")).toBe("a b c");
});

test("programs of the workspace are not on the path of a read-only command", async () => {
  const own = await room({ sandbox: "off" });
  const bin = join(own.root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "ls"), "#!/bin/sh\necho hijacked\n", { mode: 0o755 });
  symlinkSync(bin, join(own.outside, "tools"));
  const path = `${bin}:.:bin::${join(own.outside, "tools")}:${process.env["PATH"]}`;
  const home = join(own.root, "..", "home");
  const hijacked = await room({
    sandbox: "off",
    workspace: own.root,
    childEnv: {
      PATH: path,
      HOME: home,
      BASH_ENV: join(own.root, "evil.sh"),
      "BASH_FUNC_ls%%": "() { echo hijacked; }",
      LD_PRELOAD: join(own.root, "evil.so"),
      CDPATH: own.outside,
      GREP_OPTIONS: "-r",
    },
  });
  own.put("evil.sh", "echo hijacked\n");
  const call = { type: "tool_use", id: "1", name: "Bash", input: { command: "ls" } } as const;
  expect((await hijacked.box.review(call)).verdict).toBe("allow");
  const outcome = await hijacked.box.run(call, {
    signal: new AbortController().signal,
    progress: () => undefined,
    background: new Promise(() => undefined),
    ask: async () => ({ allow: false as const }),
  });
  expect(JSON.stringify(outcome.content)).not.toContain("hijacked");
  expect(JSON.stringify(outcome.content)).toContain("evil.sh");
  rmSync(bin, { recursive: true });
});
