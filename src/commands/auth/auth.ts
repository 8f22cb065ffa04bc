/** `mini-claude auth status`: whether a model can be called, in the format of Claude Code. */

import { keySource } from "../../config/credentials.ts";
import { loadSettings } from "../../config/settings.ts";
import { parseOptions, type SubcommandIo } from "../../config/subcommands.ts";
import { UsageError } from "../../config/usage-error.ts";

export const help = `mini-claude auth status [--json]   the model's provider and the source of its key

Exit codes: 0 a model can be called, 1 there is no key.
`;

/** Returns the exit code: 1 without a key for Anthropic's server. */
export function run(args: readonly string[], { paths, env, out }: SubcommandIo): number {
  const { values, positionals } = parseOptions(args, { json: { type: "boolean" } });
  if (positionals.join(" ") !== "status")
    throw new UsageError(
      "The only auth command is mini-claude auth status [--json]; keys come from the environment.",
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
  if (provider === "bedrock" || provider === "vertex")
    return `Calls go to ${provider}, with the credentials that its own programs use.\n`;
  if (provider === "offline") return "The offline model is in use; it needs no key.\n";
  return variable === null
    ? `There is no key for ${provider}.\n`
    : `The key for ${provider} is in ${variable}.\n`;
}
