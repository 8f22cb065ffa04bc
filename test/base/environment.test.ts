import { expect, test } from "bun:test";
import { isCompiled } from "../../src/base/installed.ts";
import { currentEnvironment } from "../../src/base/environment.ts";

test("a copy of the variables has PATH, as Windows may spell it", () => {
  const variables = { Path: "C:\\Windows", windir: "C:\\Windows" };
  const { PATH, Path, windir } = currentEnvironment(variables, "win32");
  expect([PATH, Path, windir]).toEqual(["C:\\Windows", undefined, "C:\\Windows"]);
  expect(currentEnvironment(variables, "linux")).toEqual(variables);
});

test.each([
  ["/$bunfs/root/mini-claude", true],
  ["B:\\~BUN\\root\\mini-claude.exe", true],
  ["B:/~BUN/root/chunk.js", true],
  ["/home/me/mini-claude/src/cli.tsx", false],
  ["C:\\Users\\me\\mini-claude\\src\\cli.tsx", false],
])("%s is compiled into a program: %p", (module, compiled) => {
  expect(isCompiled(module)).toBe(compiled);
});
