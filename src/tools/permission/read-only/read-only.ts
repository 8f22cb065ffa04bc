/** Whether one command of a line is read-only and reads only what it may. */

import type { Step } from "../line/command-line.ts";
import { literal, type Word } from "../line/word.ts";
import {
  readOnlyCommands,
  recursiveGrep,
  type Operands,
  type ReadOnlyCommand,
} from "./commands.ts";
import { readOnlyGit } from "./git.ts";
import { follow, isOpen, mayRead, type ReadScope, type Target } from "./operands.ts";
import { readArguments } from "./options.ts";
import { readSpecial } from "./special.ts";

export type ReadOnlyStep = {
  /** The words that are run. */
  words: Word[];
  /** Safe only in the sandbox. */
  sandboxOnly: boolean;
  /** Needs the host instead: it describes the machine. */
  onHost: boolean;
  /** Folders in which the next command may run. */
  cwds: readonly string[];
};

/** Before the text of a word that the shell replaces by file names; no path holds a null byte. */
const patternMark = "\0";

/** `cwds`: where it may run, for a `cd` before it may have failed. Null: not known to be read-only. */
export async function readOnlyStep(
  step: Step,
  cwds: readonly string[],
  scope: ReadScope,
): Promise<ReadOnlyStep | null> {
  const [first, ...rest] = step.words;
  if (!first || first.kind !== "literal") return null;
  for (const file of step.reads) {
    if (!(await mayRead(file.text, cwds, ["file"], scope))) return null;
  }
  const patterns = rest.some((word) => word.kind === "pattern");
  const args = rest.map((word) => (word.kind === "pattern" ? patternMark : "") + word.text);
  const base = { words: step.words, sandboxOnly: patterns, onHost: false, cwds };
  const special = readSpecial(first.text, args);
  if (special === null) return null;
  if (special !== "other") {
    const { operands, named } = special;
    if (!(await all(named, kindsOf(operands), cwds, scope))) return null;
    return { ...base, sandboxOnly: patterns || operands === "trees" };
  }
  if (first.text === "git") {
    const words = patterns ? null : await readOnlyGit(args, cwds, scope);
    return words && { ...base, words };
  }
  return readOnlyByTable(first.text, args, base, scope);
}

async function readOnlyByTable(
  name: string,
  args: readonly string[],
  base: ReadOnlyStep,
  scope: ReadScope,
): Promise<ReadOnlyStep | null> {
  for (const command of commandsNamed(name)) {
    const read = readArguments(args, command.list);
    if (!read || read.operands.length < command.least || read.operands.length > command.most)
      continue;
    const { onHost = false } = command;
    const sandboxOnly = base.sandboxOnly || (command.sandboxOnly ?? false);
    if (command.operands === "folder") return changeFolder(read.operands[0], base, scope);
    const named = namedFiles(command, read.operands, read.given);
    if (named === null) return null;
    if (!(await all(named, kindsOf(command.operands), base.cwds, scope))) return null;
    return { ...base, sandboxOnly, onHost };
  }
  return null;
}

function commandsNamed(name: string): ReadOnlyCommand[] {
  const command = readOnlyCommands.get(name);
  if (!command) return [];
  return /^[ef]?grep$/.test(name) ? [command, recursiveGrep] : [command];
}

const kindsOf = (operands: Operands): Target["kind"][] => {
  if (operands === "paths") return ["file", "folder", "other"];
  return operands.includes("trees") ? ["file", "folder"] : ["file"];
};

/** The operands that are paths; null when they are not what they should be. */
function namedFiles(
  { operands: kind }: ReadOnlyCommand,
  operands: readonly string[],
  given: ReadonlySet<string>,
): readonly string[] | null {
  switch (kind) {
    case "text":
      return [];
    case "none":
      return operands.length === 0 ? [] : null;
    case "names":
      return operands.every((one) => /^[\w.+-]+$/.test(one)) ? [] : null;
    case "pattern, files":
    case "pattern, trees": {
      const inOption = ["-e", "--regexp", "--files"].some((name) => given.has(name));
      if (!inOption && operands.length === 0) return null;
      const files = inOption ? operands : operands.slice(1);
      return files.length === 0 && kind === "pattern, trees" ? ["."] : files;
    }
    case "trees":
    case "paths":
      return operands.length === 0 ? ["."] : operands;
    default:
      return operands;
  }
}

/** "-" is the standard input. */
async function all(
  files: readonly string[],
  kinds: readonly Target["kind"][],
  cwds: readonly string[],
  scope: ReadScope,
): Promise<boolean> {
  for (const file of files) {
    // Only the shell knows what a pattern expands to: the sandbox hides what must not be read.
    if (file === "-" || file.startsWith(patternMark)) continue;
    if (!(await mayRead(file, cwds, kinds, scope))) return false;
  }
  return true;
}

async function changeFolder(
  given: string | undefined,
  base: ReadOnlyStep,
  scope: ReadScope,
): Promise<ReadOnlyStep | null> {
  if (given === undefined || given === "-") return null;
  const folders = new Set(base.cwds);
  for (const cwd of base.cwds) {
    const target = await follow(given, cwd);
    if (target?.kind !== "folder" || !isOpen(target.path, scope)) return null;
    folders.add(target.path);
  }
  return { ...base, words: ["cd", "-P", "--", given].map(literal), cwds: [...folders] };
}
