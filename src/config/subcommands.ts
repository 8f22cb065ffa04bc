/** Shared by all subcommands, such as `mini-claude sessions`. */

import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import type { Environment } from "../base/environment.ts";
import { errorMessage } from "../base/format.ts";
import type { Progress } from "../base/long-work.ts";
import type { Paths } from "./paths.ts";
import { UsageError } from "./usage-error.ts";

/** The surroundings of a subcommand, besides its arguments. */
export type SubcommandIo = {
  paths: Paths;
  env: Environment;
  cwd: string;
  out(text: string): void;
  err(text: string): void;
  /** Shows how far it is, on a terminal. */
  progress?: Progress;
};

/** `parseArgs` for a subcommand. Throws `UsageError` with one sentence. */
export function parseOptions<const T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // The rest is advice about positional arguments.
    const [what = ""] = errorMessage(error).split(/\.?\n|\. /);
    throw new UsageError(`${what}. See --help.`);
  }
}
