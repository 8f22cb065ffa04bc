/** The system prompt, by the flags. */

import { readFileSync } from "node:fs";
import { UsageError } from "./usage-error.ts";

export type PromptFlags = {
  /** Replaces the built-in one. */
  system?: string;
  /** After it. */
  append?: string;
};

type Values = {
  "system-prompt"?: string;
  "system-prompt-file"?: string;
  "append-system-prompt"?: string;
  "append-system-prompt-file"?: string;
};

/** Throws `UsageError`. */
export function promptFlags(values: Values): PromptFlags {
  const system = textOf("system-prompt", values);
  const append = textOf("append-system-prompt", values);
  return {
    ...(system === undefined ? {} : { system }),
    ...(append === undefined ? {} : { append }),
  };
}

function textOf(
  name: "system-prompt" | "append-system-prompt",
  values: Values,
): string | undefined {
  const file = values[`${name}-file`];
  if (file === undefined) return values[name];
  if (values[name] !== undefined)
    throw new UsageError(`--${name} and --${name}-file cannot be combined.`);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--${name}-file: ${reason}`);
  }
}
