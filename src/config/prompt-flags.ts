/** The flags for the system prompt. */

import { readFileSync } from "node:fs";
import { messageOf } from "../protocol/in-words.ts";
import type { FlagValues } from "./flag-options.ts";
import { UsageError } from "./usage-error.ts";

/** `system` replaces the built-in one, `append` comes after it. Throws `UsageError`. */
export const promptFlags = (values: FlagValues) => ({
  system: textOf("system-prompt", values),
  append: textOf("append-system-prompt", values),
});

function textOf(
  name: "system-prompt" | "append-system-prompt",
  values: FlagValues,
): string | undefined {
  const file = values[`${name}-file`];
  if (file === undefined) return values[name];
  if (values[name] !== undefined)
    throw new UsageError(`--${name} and --${name}-file cannot be combined.`);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`--${name}-file: ${messageOf(error)}`);
  }
}
