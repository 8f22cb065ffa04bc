import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { UsageError } from "../../config/usage-error.ts";

/** `parseArgs` for a subcommand. Throws `UsageError` with one line. */
export function parseOptions<const T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message.split("\n")[0]);
  }
}
