import { describe, expect, test } from "bun:test";
import { everyCommand } from "../../src/trust/line/every-command.ts";

const listCommands = (line: string): string[] =>
  everyCommand(line).commands.map(({ argv }) => argv.join(" "));

describe("what a line comes to run is found", () => {
  test.each([
    ["echo a b", ["echo a b"]],
    ["x=rm; $x -rf y", ["rm -rf y"]],
    ["x='rm -rf'; $x y", ["rm -rf y"]],
    ["export X=rm; $X a", ["export X=rm", "rm a"]],
    ["${y:-rm} a", ["rm a"]],
    ["${y:=rm} a", ["rm a"]],
    ["${HOME}/x", ["~/x"]],
    ["HOME=/x; ls $HOME", ["ls ~"]],
    ["rm$IFS/x", ["rm /x"]],
    ["x=(rm a); ${x[0]}", ["${x[0]}"]],
    ["$(which rm) a", ["rm a", "which rm"]],
    ["$(which -a rm) a", ["rm a", "which -a rm"]],
    ["$(which -a) a", ["$(which -a) a", "which -a"]],
    ["$(type -p rm) a", ["rm a", "type -p rm"]],
    ["$(echo -n rm) a", ["rm a", "echo -n rm"]],
    ["$(printf %s rm) a", ["rm a", "printf %s rm"]],
    ["$(printf rm) a", ["rm a", "printf rm"]],
    ["$(pwd)/x", ["./x", "pwd"]],
    ["$(date)/x", ["$(date)/x", "date"]],
    ["$(echo a; echo b) x", ["$(echo a; echo b) x", "echo a", "echo b"]],
    ["for f in a b; do rm $f; done", ["rm a b"]],
    ["for f in; do ls; done; rm a$f", ["ls", "rm a$f"]],
    ["rm {a,b}", ["rm a b"]],
    ["f() { rm a; }; f", ["rm a", "f"]],
    ["(rm a)", ["rm a"]],
    ["if true; then rm a; fi", ["true", "rm a"]],
    ["a=$(rm x)", ["rm x"]],
    ["bash -xc 'rm a'", ["bash -xc rm a", "rm a"]],
    ["eval rm a", ["eval rm a", "rm a"]],
    ["find . -exec rm {} +", ["find . -exec rm {} +", "rm {} +"]],
    ["find . -name rm", ["find . -name rm"]],
    ["ls -exec rm a", ["ls -exec rm a"]],
    ["git -c alias.x='!rm a' x", ["git -c alias.x=!rm a x", "rm a"]],
    [
      "git -c alias.x=x -c alias.y='!ls' -c alias.z='!rm a' z",
      ["git -c alias.x=x -c alias.y=!ls -c alias.z=!rm a z", "ls", "rm a"],
    ],
    [
      "find x -exec ls {} ';' -ok rm {} +",
      ["find x -exec ls {} ; -ok rm {} +", "ls {} ;", "rm {} +"],
    ],
    [
      "find x -okdir ls + -execdir rm a +",
      ["find x -okdir ls + -execdir rm a +", "ls +", "rm a +"],
    ],
    [
      "find x -exec find y -exec rm {} ';' ';'",
      ["find x -exec find y -exec rm {} ; ;", "find y -exec rm {} ; ;", "rm {} ; ;"],
    ],
    ["git -c user.name='!rm a' x", ["git -c user.name=!rm a x"]],
    ["tar --checkpoint-action='rm a'", ["tar --checkpoint-action=rm a"]],
    ["tar --use-compress-program='rm a'", ["tar --use-compress-program=rm a", "rm a"]],
    ["tar --to-command='rm a'", ["tar --to-command=rm a", "rm a"]],
    ["tar --checkpoint-action=exec='rm a'", ["tar --checkpoint-action=exec=rm a", "rm a"]],
    [`python -c "os.system('rm a')"`, ["python -c os.system('rm a')", "rm a"]],
    [`echo "os.system('rm a')" | python -`, ["echo os.system('rm a')", "python -", "rm a"]],
    ["ssh host rm a", ["ssh host rm a", "rm a"]],
    ["vim '+!rm a'", ["vim +!rm a", "rm a"]],
    ["trap 'rm a' EXIT", ["trap rm a EXIT", "rm a"]],
  ])("%j", (line, commands) => {
    expect(listCommands(line)).toEqual(commands);
  });

  test.each([
    "sudo -u me rm a",
    "env -i X=1 rm a",
    "env -S 'rm a'",
    "env '-Srm a'",
    "timeout 5 rm a",
    "nohup sh -c 'rm a' &",
    "echo a | xargs rm",
    "echo rm a | sh",
    "printf 'rm a\\n' | bash",
    "echo cm0gYQ== | base64 -d | sh",
    "echo 'a mr' | rev | sh",
    "echo rm a | tee b | sh",
    "cat <<EOF | sh\nrm a\nEOF",
    "sh <<< 'rm a'",
    "sh <(echo rm a)",
    ". <(echo rm a)",
    `sh ${"<(cat ".repeat(8)}<(echo rm a)${")".repeat(8)}`,
    "$(echo $(echo $(echo $(echo rm)))) a",
    "x=$(echo a; echo b); x=rm; $x a",
    `${"eval ".repeat(8)}rm a`,
    `${"find -exec ".repeat(5)}rm a`,
  ])("%j runs rm", (line) => {
    expect(listCommands(line)).toContain("rm a");
  });

  test.each([
    "sudo -n -n -n",
    "X=1 Y=2 nice",
    "timeout 5",
    "nice -n 5",
    "timeout -k 5 10",
    "ionice -c 2 -n 5",
  ])("a long command after %j is read to its end", (wrapper) => {
    const long = `rm ${"a ".repeat(60)}b`;
    expect(listCommands(`${wrapper} ${long}`)).toContain(long);
  });

  test("one variable does not change what comes before it", () => {
    expect(listCommands("$x a; x=rm; $x b")).toEqual(["$x a", "rm b"]);
  });

  test("quotes keep the words of a variable together", () => {
    expect(everyCommand(`x="a b"; ls "$x" $x`).commands[0]?.argv).toEqual(["ls", "a b", "a", "b"]);
  });

  test("substitutions one after another are all resolved", () => {
    const words = Array.from({ length: 6 }, (_, at) => `$(echo ${at})`).join(" ");
    expect(listCommands(`ls ${words}`)[0]).toBe("ls 0 1 2 3 4 5");
  });
});

describe("each command is found with", () => {
  test.each([
    ["cd x && rm a", "./x"],
    ["cd /x; cd y; rm a", "/x/y"],
    ["cd -P x; rm a", "./x"],
    ["cd && rm a", "~"],
    ["pushd z; rm a", "./z"],
    ["(cd x); rm a", "./x"],
  ])("the folder it runs in: %j", (line, cwd) => {
    expect(everyCommand(line).commands.at(-1)).toMatchObject({ cwd });
  });

  test.each([
    ["> out", ["out"]],
    ["echo a > out < in", ["out"]],
    ["ls &>x >>y >|z <>w 3<v <&0", ["x", "y", "z", "w"]],
    ["x=o; ls > ${x}ut", ["out"]],
    ["echo a", []],
  ])("what it writes to: %j", (line, writes) => {
    expect(everyCommand(line).commands[0]?.writes).toEqual(writes);
  });

  test("nothing for a line that neither runs nor writes", () => {
    expect(everyCommand("x=1").commands).toEqual([]);
  });

  test.each([
    ["ls a -l | cat", ["a"]],
    ["echo -n a b | cat", ["a b"]],
    ["date | cat", []],
    ["cat << EOF\na\nEOF", ["a\n"]],
  ])("what it is fed: %j", (line, inputs) => {
    expect(everyCommand(line).commands.at(-1)?.inputs).toEqual(inputs);
  });
});

test.each([
  [":(){ :|:& };:", true],
  ["f() { f; f; }; f", true],
  ["f() { f & }; f", true],
  ["f() { f | cat; }; f", true],
  ["f() { f; }; f", false],
  ["f() { ls & }; f", false],
])("%j multiplies: %p", (line, multiplies) => {
  expect(everyCommand(line).multiplies).toBe(multiplies);
});

test.each([
  ["ls; cat <(echo $(date))", true],
  ["eval eval ls", true],
  [`${"eval ".repeat(20)}ls`, false],
  [`${"echo $(".repeat(20)}ls${")".repeat(20)}`, false],
  ["ls; ".repeat(2_000), true],
  ["ls; ".repeat(2_100), false],
])("%.30j is read to its end: %p", (line, isWhole) => {
  expect(everyCommand(line).isWhole).toBe(isWhole);
});

test("endless nesting and enormous lists come to an end", () => {
  const countCommands = (line: string) => everyCommand(line).commands.length;
  expect(countCommands(`${"eval ".repeat(200)}rm a`)).toBeLessThan(20);
  expect(countCommands(`${"find -exec ".repeat(200)}rm a`)).toBeLessThan(20);
  expect(countCommands("sudo find -exec ".repeat(200))).toBeLessThan(10_000);
  expect(countCommands("cat <(".repeat(200))).toBeLessThan(500);
  expect(countCommands("ls; ".repeat(5_000))).toBeLessThan(2_100);
  expect(listCommands(`x=${"a".repeat(9_000)}; ls $x$x$x`).join("").length).toBeLessThan(15_000);
  expect(listCommands(`x=${"{a,b}".repeat(12)}; ls $x`).join("").length).toBeLessThan(5_000);
});
