/** Tables of command lines that share one start of the sandbox. */

import { expect } from "bun:test";

/** Runs all lines as one command, each in a subshell; what each of them printed, in order. */
export async function runAsOne(
  lines: readonly string[],
  run: (command: string) => Promise<string>,
): Promise<[line: string, said: string][]> {
  const mark = `=${crypto.randomUUID()}=`;
  const said = await run(lines.map((line) => `(${line}\n)\necho ${mark}`).join("\n"));
  const parts = said.split(mark);
  if (parts.length <= lines.length) throw new Error(`It ended early: ${said}`);
  return lines.map((line, at) => [line, (parts[at] ?? "").trim()]);
}

/** Expects what each line prints, or what is seen after each when `sees` is given. */
export async function eachPrints(
  expected: string,
  lines: readonly string[],
  run: (command: string) => Promise<string>,
  sees?: string,
): Promise<void> {
  const all = lines.map((line) => (sees ? `(${line}) 2> /dev/null; ${sees}` : line));
  for (const [line, said] of await runAsOne(all, run))
    expect([line, said]).toEqual([line, expected]);
}
