/** What can be answered before the rest of the program is loaded, which takes five times as long. */

import { version } from "../../package.json";
import { helpText } from "../config/help.ts";

export const versionText = `mini-claude ${version}\n`;

/** Null: the command line asks for something else, or for more. */
export function quickAnswer(args: readonly string[]): string | null {
  if (args.length !== 1) return null;
  switch (args[0]) {
    case "--version":
    case "-v":
      return versionText;
    case "--help":
    case "-h":
      return helpText;
    default:
      return null;
  }
}
