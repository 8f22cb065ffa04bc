/** File patterns outside of the sandbox: they need no approval if every matching file may be read. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../../../src/protocol/block.ts";
import { quietRun, type Room, leave, room } from "../room.ts";

afterAll(leave);

let at: Room;

beforeAll(async () => {
  at = await room({ sandbox: "off" });
  Bun.spawnSync(["git", "init", "-q"], { cwd: at.root });
  for (const name of ["a.ts", "b.ts", ".hidden.ts", "with space.md", "*.txt"])
    at.put(name, `${name}\n`);
  at.put("src/c.ts", "c\n");
  at.put("src/.d.ts", "d\n");
  at.put("lib/c.ts", "c\n");
  at.put(".git/config", "[core]\n");
  at.put("keys/server.pem", "secret\n");
  at.put("keys/notes.md", "notes\n");
  at.put("options/-o", "x\n");
  at.put("options/x", "x\n");
  at.put("-ofile.c", "x\n");
  at.put("--help.h", "x\n");
  mkdirSync(join(at.root, "links"));
  symlinkSync("/etc/passwd", join(at.root, "links/passwd"));
  symlinkSync("/etc", join(at.root, "etc"));
  for (let i = 0; i < 1_100; i += 1) at.put(`many/${i}.log`, "");
});

const review = (command: string) => at.review("Bash", { command });

/** The output of a command; the verdict if that is not "allow". */
async function output(command: string): Promise<string> {
  const call = { type: "tool_use", id: command, name: "Bash", input: { command } } as const;
  const { verdict } = await at.box.review(call);
  return verdict === "allow" ? textOf((await at.box.run(call, quietRun())).content) : verdict;
}

test.each([
  ["ls *.ts", "a.ts\nb.ts"],
  ["git status --short && ls *.ts", "a.ts\nb.ts"],
  ["cat src/*.ts | head", "c"],
  ["cat */c.ts", "c\nc"],
  ["wc -l ?.ts | tail -n 1", "2 total"],
  ["cat with*.md", "with space.md"],
  ["cat ./*.txt", "*.txt"],
  ["ls nothing*; true", "nothing*"],
  ["head -qn1 keys/*.md", "notes"],
  ["echo *.ts", "a.ts b.ts"],
  ["git status --short *.ts | cat", "?? a.ts\n?? b.ts"],
])("%j runs without a question", async (command, printed) => {
  expect(await output(command)).toContain(printed);
});

test.each([
  ["a secret among them", "cat keys/*"],
  ["git's own files", "git status && grep -rn url .git/*"],
  ["git's own files by name", "git status && cat .git/con*"],
  ["a link out of the workspace", "cat links/*"],
  ["a folder outside", "ls /etc/*"],
  ["a link to a folder outside", "ls etc/*"],
  ["a way out", "ls ../*"],
  ["hidden files", "cat .h*"],
  ["a name that is an option which writes", "sort *.c"],
  ["a name that is an unknown option", "cat *.h"],
  ["more than can be judged", "ls many/*"],
  ["more than is looked at", "echo many/*"],
  ["a change of folder before it", "cd src && ls *.ts"],
  ["a program by pattern", "c?t a.ts"],
])("asked about: %s", async (_, command) => {
  expect((await review(command)).verdict).toBe("ask");
});

test("beside a command that may make new files, the shell expands the pattern", async () => {
  const rules = { allow: ["Bash(touch:*)", "Bash(ls:*)"], ask: [], deny: [] };
  const other = await room({ sandbox: "off", rules });
  other.put("a.ts", "");
  const input = { command: "touch new.ts && ls *.ts" };
  expect((await other.review("Bash", input)).verdict).toBe("allow");
  expect(await other.say("Bash", input)).toBe("a.ts\nnew.ts");
});
