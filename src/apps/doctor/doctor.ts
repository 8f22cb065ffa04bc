/** `mini-claude doctor`: what works on this machine, what does not, and how to fix it. */

import { counted } from "../../protocol/in-words.ts";
import { formatChecks, ok, problem, warning, type Check } from "./check.ts";
import { checkModel, type ModelSetup } from "./model.ts";
import { checkPrograms, type Programs } from "./programs.ts";
import { checkStorage, type Storage } from "./storage.ts";
import { checkTerminal, type Terminal } from "./terminal.ts";

export type Machine = Terminal &
  Programs &
  ModelSetup & {
    version: string;
    storage: Storage;
    settingsFile: string;
    /** What is wrong in the settings, one sentence each. */
    settingsProblems: readonly string[];
    /** Hooks that will run, and what in their settings cannot be used. */
    hooks: { count: number; problems: readonly string[] };
  };

/** Returns 1 when there is a problem, else 0. Shows no key, and contacts no server outside this machine. */
export async function runDoctor(machine: Machine, out: (text: string) => void): Promise<number> {
  const checks = [
    ...checkTerminal(machine),
    ...checkSettings(machine),
    ...checkHooks(machine),
    ...checkModel(machine),
    ...checkPrograms(machine),
    ...(await checkStorage(machine.storage)),
  ];
  out(`mini-claude ${machine.version}, ${process.platform} ${process.arch}\n\n`);
  out(formatChecks(checks));
  return checks.some(({ state }) => state === "problem") ? 1 : 0;
}

function checkHooks({ hooks: { count, problems } }: Machine): Check[] {
  const unused = problems.map((text) =>
    warning("Hooks", text, "correct or remove it; see README, Hooks"),
  );
  return count === 0 ? unused : [ok("Hooks", counted(count, "command")), ...unused];
}

function checkSettings({ settingsFile, settingsProblems }: Machine): Check[] {
  if (settingsProblems.length === 0) return [ok("Settings", settingsFile)];
  return settingsProblems.map((text) =>
    problem("Settings", text, "correct or remove it; see README, Settings"),
  );
}
