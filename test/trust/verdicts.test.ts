import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { permissionModes } from "../../src/protocol/permission.ts";
import { judgeEverywhere, verdictLab, verdictWord } from "./verdicts.ts";

const lab = verdictLab();
const withRemotes = verdictLab({ remotes: true });
afterAll(() => [lab, withRemotes].forEach(({ remove }) => remove()));

const linesOf = (name: string): string[] =>
  readFileSync(join(import.meta.dir, name), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

const rows = linesOf("verdicts.txt").map((line): [string, string] => {
  const [, verdicts = "", command = ""] = /^(\w+ +\w+ +\w+) +(\S.*)$/.exec(line) ?? [];
  return [command, verdicts.replace(/ +/g, " ")];
});

test.each(rows)("%s: %s", async (command, verdicts) => {
  expect(await judgeEverywhere(lab, command)).toBe(verdicts);
});

test.each(["git fetch", "git ls-remote origin", "gh pr view 1"])(
  "behind a proxy of the machine, which reaches every host, %s asks",
  async (command) => {
    for (const mode of ["default", "auto"] as const) {
      const verdict = await lab.judge(command, lab.situation(mode, { usesProxy: true }));
      expect(verdictWord(verdict)).toBe("asks");
    }
  },
);

/** The commands of each block with their verdicts, behind its modes and what holds in it. */
const blocks = new Map<string, [verdict: string, command: string][]>();
let head = "";
for (const line of linesOf("answers.txt")) {
  const [, verdict, commands] = /^(reads|runs|asks|warns|never) +(\S.*)$/.exec(line) ?? [];
  if (verdict === undefined || commands === undefined) head = line;
  const found = commands?.split(" ¦ ").map((command): [string, string] => [verdict ?? "", command]);
  blocks.set(head, [...(blocks.get(head) ?? []), ...(found ?? [])]);
}

test.each([...blocks])("%s", async (traits, expected) => {
  const [modes = "", ...parts] = traits.split("  /  ");
  const listed = (name: string): string[] =>
    parts.flatMap((part) =>
      part.startsWith(`${name}: `) ? part.slice(name.length + 2).split(" ¦ ") : [],
    );
  const texts = { allow: listed("allow"), ask: listed("ask"), deny: listed("deny") };
  const at = parts.includes("remotes") ? withRemotes : lab;
  for (const mode of permissionModes.filter((name) => modes.split(" ").includes(name)))
    for (const [verdict, command] of expected) {
      const sandbox = async () => !parts.includes("bare");
      const now = at.situation(mode, { texts, sandbox });
      const home = parts.includes("no gh") ? join(now.folders.home, "none") : now.folders.home;
      const there = { ...now, folders: { ...now.folders, home } };
      for (const yes of listed("yes")) {
        const answered = await at.judge(yes, there);
        if (answered.verdict === "ask" && answered.rule) now.rules.add(answered.rule);
      }
      const word = verdictWord(await at.judge(command, there));
      expect([mode, command, word]).toEqual([mode, command, verdict]);
    }
});
