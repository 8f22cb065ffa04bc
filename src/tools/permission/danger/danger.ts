/**
 * Finds what a command could destroy beyond repair. This catches mistakes, even in a line that is not
 * clear; a line that hides its purpose deliberately is left to the sandbox.
 */

import { everyCommand, type FoundCommand } from "../line/every-command.ts";
import { maxLineChars } from "../line/command-line.ts";
import { programName } from "../line/unwrap.ts";
import { gitLoss } from "../git-verbs.ts";
import { machineEnd, warningFor } from "./commands.ts";
import { fileLoss, type Home } from "./removal.ts";
import { asked, refused, type Danger } from "./level.ts";

/** In programs of other languages and by the name of the script. */
const forkBombs = [
  /\bfork\s{1,9}while\b|\bloop\s{0,9}[{(]\s{0,9}fork\b|\bwhile\b[^;]{0,40}\bfork\b/,
  /\bwhile\s{1,9}(?:true|:|1)\s{0,9};\s{0,9}do\s{1,9}(?:"?\$0"?|\.\/\S{1,80})\s{0,9}&/,
  /^\s{0,9}"?\$0"?\s{0,9}[|&]\s{0,9}"?\$0"?\s{0,9}&/m,
];

/** `found`: the commands of the line, when they are known. */
export function findDanger(
  line: string,
  cwd: string,
  home: Home,
  found = everyCommand(line, cwd),
): Danger | null {
  const read = line.slice(0, maxLineChars);
  const { commands, multiplies, isWhole } = found;
  if (multiplies || forkBombs.some((bomb) => bomb.test(read))) {
    return refused("starts copies of itself until the machine stops (fork bomb)");
  }
  const dangers = commands.flatMap((command) => listDangers(command, home));
  if (!isWhole)
    dangers.push({ ...asked("is too long or nested too deeply to be checked"), isFinal: true });
  return (
    dangers.find(({ level }) => level === "refused") ??
    dangers.find(({ isFinal }) => isFinal) ??
    dangers[0] ??
    null
  );
}

function listDangers(command: FoundCommand, home: Home): Danger[] {
  const [first = "", ...args] = command.argv;
  const name = programName(first);
  return [
    fileLoss(name, args, command, home),
    machineEnd(name, args),
    name === "git" ? gitLoss(args) : null,
    warningFor(name, args),
  ].filter((danger) => danger !== null);
}
