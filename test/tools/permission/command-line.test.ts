import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseCommandLine } from "../../../src/tools/permission/command-line.ts";

const read = (line: string) => {
  const { clear, commands } = parseCommandLine(line);
  return { clear, commands: commands.map(({ words }) => words.map((word) => word.text)) };
};

test.each([
  ["ls -la", [["ls", "-la"]]],
  ["a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]],
  ["a|b&&c||d;e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]],
  ["r''m \"\" x", [["rm", "", "x"]]],
  ['echo "say \\"hi\\" \\\\ \\n"', [["echo", 'say "hi" \\ \\n']]],
  ["a 2>&1 >/dev/null | b 2>/dev/null", [["a"], ["b"]]],
  ["a &>/dev/null", [["a"]]],
  ["echo a#b", [["echo", "a#b"]]],
])("%j is clear", (line, commands) => {
  expect(read(line)).toEqual({ clear: true, commands });
  expect(parseCommandLine(line).commands.flatMap(({ writes }) => writes)).toEqual([]);
});

test.each([
  "echo $HOME",
  "echo $(rm x)",
  'echo "$(rm x)"',
  "echo `rm x`",
  "(ls)",
  "{ ls; }",
  "ls &",
  "cat < x",
  "cat <<EOF\nx\nEOF",
  "diff <(ls) x",
  "! ls",
  "ls # rm",
  "echo {a,b}",
  "echo 'open",
  'echo "open',
  "ls \\",
  "ls \\\n-la",
  "a |& b",
  "ls\r",
  "a >",
])("%j is not clear", (line) => {
  expect(parseCommandLine(line).clear).toBe(false);
});

test.each([
  ["a > b", ["b"]],
  ["a >> 'b c'", ["b c"]],
  ["a 2> b", ["b"]],
  ["a &> b", ["b"]],
  ["a >| b", ["b"]],
  ["a > /dev/nullx", ["/dev/nullx"]],
  ["a >&b", ["b"]],
  ["> b", ["b"]],
])("%j writes %j", (line, files) => {
  expect(parseCommandLine(line).commands.flatMap(({ writes }) => writes)).toEqual(files);
});

test("what bash makes of a clear line is what stands in it", () => {
  const piece = fc.constantFrom(
    "a",
    "-b",
    "c d",
    "'",
    '"',
    "\\",
    "x y",
    ".",
    "/",
    "=",
    ":",
    ",",
    "é",
    "#",
  );
  const words = fc.array(
    fc.array(piece, { maxLength: 4 }).map((parts) => parts.join("")),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(words, (raw) => {
      const line = raw.join(" ");
      const parsed = parseCommandLine(line);
      if (!parsed.clear || parsed.commands.length !== 1) return;
      const script = `printf '%s\\0' ${line}`;
      const { stdout } = Bun.spawnSync(["bash", "-c", script]);
      const seen = stdout.toString().split("\0").slice(0, -1);
      expect(parsed.commands[0]?.words.map((word) => word.text)).toEqual(seen);
    }),
    { numRuns: 60 },
  );
});
