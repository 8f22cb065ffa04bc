import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseCommandLine, type SimpleCommand } from "./command-line.ts";
import { dangerOf } from "./danger.ts";
import { pathsOfHarmless } from "./harmless.ts";
import { allow, planRefusal, type Situation, type Verdict } from "./judge.ts";
import { prefixOf } from "./prefix.ts";
import type { SessionRule } from "./rules.ts";
import { sensitivityOf } from "./sensitive.ts";

/** Every single command of the line must be harmless or allowed; a line that is not clear is asked. */
export async function judgeCommand(command: string, now: Situation): Promise<Verdict> {
  const danger = dangerOf(command);
  if (danger?.level === "refused") {
    return { verdict: "refuse", reason: `This command is never run: ${danger.why}.` };
  }
  if (now.mode === "bypass") return allow;
  const line = parseCommandLine(command);
  const doubtful = line.clear ? await doubtfulOf(line.commands, now) : null;
  if (danger === null && doubtful?.length === 0) return allow;
  if (now.mode === "plan") return { verdict: "refuse", reason: planRefusal };
  if (danger) return { verdict: "ask", warning: `Careful: ${danger.why}.`, rule: null };
  if (now.rules.coversLine(command)) return allow;
  const prefixes = doubtful?.map(prefixOf) ?? [null];
  const known = prefixes.filter((prefix) => prefix !== null);
  if (known.length < prefixes.length) return ask({ kind: "line", line: command });
  if (known.every((prefix) => now.rules.coversPrefix(prefix))) return allow;
  return ask({ kind: "prefixes", prefixes: [...new Set(known)] });
}

const ask = (rule: SessionRule): Verdict => ({ verdict: "ask", warning: null, rule });

/** The commands of a clear line that are not known to be harmless here. */
async function doubtfulOf(
  commands: readonly SimpleCommand[],
  now: Situation,
): Promise<SimpleCommand[]> {
  const doubtful: SimpleCommand[] = [];
  // A `cd` may fail or happen in a pipe's own shell: what follows may run in any of these.
  let cwds: string[] | null = [now.cwd];
  for (const command of commands) {
    const paths = pathsOfHarmless(command);
    if (paths === null || cwds === null || !(await allReadable(paths, cwds, now))) {
      doubtful.push(command);
      continue;
    }
    const name = command.words[0]?.text;
    if (name === "git" && !(await gitIsPlain(now.workspace.root))) doubtful.push(command);
    if (name === "cd") cwds = await foldersAfter(command, cwds, now);
  }
  return doubtful;
}

async function allReadable(
  paths: readonly string[],
  cwds: readonly string[],
  now: Situation,
): Promise<boolean> {
  const named = paths.filter((path) => path !== "" && path !== "-");
  for (const [path, cwd] of named.flatMap((path) => cwds.map((cwd) => [path, cwd] as const))) {
    try {
      const place = await now.workspace.locate(path, cwd);
      if (place.area === "outside") return false;
      if (sensitivityOf(place.path, now.folders) === "secret") return false;
    } catch {
      return false;
    }
  }
  return true;
}

/** Where the rest of the line may run; null: anywhere. */
async function foldersAfter(
  command: SimpleCommand,
  cwds: readonly string[],
  now: Situation,
): Promise<string[] | null> {
  const target = command.words[1];
  if (!target) return null;
  const targets = cwds.map((cwd) => now.workspace.locate(target.text, cwd));
  const places = await Promise.all(targets);
  return [...new Set([...cwds, ...places.map((place) => place.path)])];
}

const programsInConfig =
  /^\s*(?:external|textconv|command|cmd|fsmonitor|pager|editor|sshcommand|hookspath|worktree|clean|smudge|process|program|gpg)\s*=|^\s*\[\s*(?:include|alias|pager|filter|diff\s|browser|credential)/im;

/** Asking git a question runs no program that the repository's own settings name. */
async function gitIsPlain(root: string): Promise<boolean> {
  const config = await readFile(join(root, ".git", "config"), "utf8").catch(() => "");
  return !programsInConfig.test(config);
}
