/** Answers without loading the rest of the program, which takes five times as long. */

import { version } from "../../package.json";
import { helpText } from "../config/help.ts";

export const versionText = `mini-claude ${version}\n`;

const answers = new Map([
  ["--version", versionText],
  ["-v", versionText],
  ["--help", helpText],
  ["-h", helpText],
]);

/** Null: the command line asks for something else, or for more. */
export const quickAnswer = ([arg = "", ...more]: readonly string[]): string | null =>
  (more.length === 0 && answers.get(arg)) || null;
