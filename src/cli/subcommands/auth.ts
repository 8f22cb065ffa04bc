/** `mini-claude auth status`: whether a model can be called, as clients of Claude Code ask for it. */

import type { Paths } from "../../config/paths.ts";
import { loadSettings } from "../../config/settings.ts";
import { UsageError } from "../../config/usage-error.ts";
import { keySource } from "../key-source.ts";
import { parseOptions } from "./parse-options.ts";

type Environment = Record<string, string | undefined>;

/** Returns the exit code: 1 without a key for Anthropic's server. */
export function runAuth(
  args: readonly string[],
  { paths, env, out }: { paths: Paths; env: Environment; out(text: string): void },
): number {
  const { values, positionals } = parseOptions(args, { json: { type: "boolean" } });
  if (positionals.join(" ") !== "status")
    throw new UsageError(
      "Only mini-claude auth status [--json] exists; keys are in the environment.",
    );
  const { settings } = loadSettings({ env, file: paths.settings, flags: [] });
  const { provider, variable } = keySource(settings, env);
  const isReady = variable !== null || provider !== "anthropic";
  const status = {
    loggedIn: isReady,
    authMethod: variable === null ? "none" : "api_key",
    apiProvider: provider === "anthropic" ? "firstParty" : "gateway",
    ...(variable === null ? {} : { apiKeySource: variable }),
  };
  out(values.json ? `${JSON.stringify(status)}\n` : inWords(provider, variable));
  return isReady ? 0 : 1;
}

function inWords(provider: string, variable: string | null): string {
  if (provider === "offline") return "The offline model is in use; it needs no key.\n";
  return variable === null
    ? `There is no key for ${provider}.\n`
    : `The key for ${provider} is in ${variable}.\n`;
}
