import { afterAll, expect, test } from "bun:test";
import { maxLineChars, readClearLine, renderLine } from "../../src/trust/line/command-line.ts";
import { leave, temporaryFolder } from "../tools/room.ts";

afterAll(leave);

test.each([
  ["ls", "'ls'"],
  ["ls -la 'a b' \"c d\" e\\ f", "'ls' '-la' 'a b' 'c d' 'e f'"],
  ["cat a | head -n 3 | wc -l", "'cat' 'a' | 'head' '-n' '3' | 'wc' '-l'"],
  ["a && b || c; d\ne", "'a' && 'b' || 'c' ; 'd' ; 'e'"],
  ["a 2>/dev/null", "'a' 2>'/dev/null'"],
  ["a >/dev/null 2>&1", "'a' >'/dev/null' 2>&1"],
  ["a &>/dev/null >&2", "'a' &>'/dev/null' >&2"],
  ["cat < a.txt", "'cat' <'a.txt'"],
  ["cat 0< a.txt", "'cat' 0<'a.txt'"],
  ["a 2>&1 1>>/dev/null", "'a' 2>&1 1>>'/dev/null'"],
  ["a &>>/dev/null", "'a' &>>'/dev/null'"],
  ["dd if=a of='b c'", "'dd' 'if=a' 'of=b c'"],
  ["echo it\\'s $'a\\tb'", "'echo' 'it'\\''s' 'a\tb'"],
  ["ls a#b # comment", "'ls' 'a#b'"],
  ["ls *.ts 'a'*", "'ls' *'.ts' 'a'*"],
  ["ls {a,b}.ts", "'ls' {a,b}'.ts'"],
  ["\\ls", "'ls'"],
])("%j is clear", (line, rendered) => {
  const steps = readClearLine(line);
  expect(steps && renderLine(steps)).toBe(rendered);
});

test.each([
  "",
  "# nothing",
  "ls $HOME",
  'ls "$HOME"',
  "ls ${x:-y}",
  "ls ~",
  "ls ~/x",
  "ls $(pwd)",
  "ls `pwd`",
  "ls <(pwd)",
  "ls $((1+1))",
  "X=1 ls",
  "X=1",
  "ls &",
  "ls & pwd",
  "ls |& cat",
  "! ls",
  "time ls",
  "coproc ls",
  "(ls)",
  "{ ls; }",
  "if ls; then pwd; fi",
  "for x in a; do ls; done",
  "while ls; do pwd; done",
  "case a in a) ls;; esac",
  "f() { ls; }",
  "[[ -f a ]]",
  "((1))",
  "ls > a",
  "ls >> a",
  "ls >| a",
  "ls &> a",
  "ls 3>/dev/null",
  "ls 3>&1",
  "ls >& a",
  "ls <> a",
  "ls <&3",
  "ls 2<a",
  "ls 0>/dev/null",
  "ls 0>&1",
  "ls {fd}>/dev/null",
  "dd if=~/x",
  "dd if=$x",
  "ls $[1+1]",
  "cat <<EOF\na\nEOF",
  "cat <<< a",
  "echo evil >'1'>&1 /dev/null",
  "echo 'open",
  'echo "open',
  "ls (",
  "ls )",
  "ls\rpwd",
  "ls\x0bpwd",
  "ls \x1b[2K",
  "ls \x9b",
  "ls \u2028",
])("%j is not clear", (line) => {
  expect(readClearLine(line)).toBeNull();
});

test("a line of enormous length is not clear", () => {
  expect(readClearLine("x".repeat(maxLineChars))).not.toBeNull();
  expect(readClearLine("x".repeat(maxLineChars + 1))).toBeNull();
});

/** Runs lines in bash with every program replaced by one that writes its own arguments. */
async function wordsInBash(lines: readonly string[]): Promise<string[][]> {
  const script = `
    PATH=/nowhere
    command_not_found_handle() { printf '%s\\x01' "$@"; }
    while IFS= read -r -d '' line; do { eval "$line"; } 2>/dev/null </dev/null; printf '\\x02'; done`;
  const child = Bun.spawn(["bash", "--norc", "-c", script], {
    cwd: temporaryFolder(),
    env: {},
    stdin: new Blob(lines.map((line) => `${line}\0`)),
  });
  const text = await child.stdout.text();
  return text
    .split("\x02")
    .slice(0, -1)
    .map((words) => words.split("\x01").slice(0, -1));
}

test("the words of a clear line are those that bash would pass on", async () => {
  const pieces = [
    ..."abc01 \t'\"\\;&|<>(){}[]*?~#!$%^=:,.-_@+`",
    "\\'",
    '\\"',
    "''",
    "$'",
    "a\\nb",
    "é",
    "\u00a0",
    "&&",
    "||",
    "\\\n",
    " >/dev/null",
    " 2>&1",
    "'1'>&1",
  ];
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  const lines = Array.from({ length: 3_000 }, () => {
    const length = 1 + random(9);
    return `x${Array.from({ length }, () => pieces[random(pieces.length)]).join("")}`;
  });
  const clear = lines.flatMap((line) => {
    const steps = readClearLine(line);
    const [only, ...more] = steps ?? [];
    if (!only || more.length > 0 || only.redirects !== "") return [];
    if (only.words.some((word) => word.kind !== "literal")) return [];
    return [{ line, words: only.words.map((word) => word.text) }];
  });
  expect(clear.length).toBeGreaterThan(200);
  const seen = await wordsInBash(clear.map(({ line }) => line));
  const different = clear.filter(({ words }, at) => !Bun.deepEquals(words, seen[at]));
  expect(different).toEqual([]);
});
