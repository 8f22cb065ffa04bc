/** `mini-claude auth status`: whether a model can be called, in the format of Claude Code. */

import { keySource } from "../../config/credentials.ts";
import { loadSettings, type Settings } from "../../config/settings.ts";
import { parseOptions, type SubcommandIo } from "../../config/subcommands.ts";
import { UsageError } from "../../config/usage-error.ts";

export const help = `mini-claude auth status [--json]   the model's provider and the source of its key

Exit codes: 0 a model can be called, 1 there is no key.
`;

/** Returns the exit code: 1 without a key that the server needs. */
export function run(args: readonly string[], { paths, env, out }: SubcommandIo): number {
  const { values, positionals } = parseOptions(args, { json: { type: "boolean" } });
  if (positionals.join(" ") !== "status")
    throw new UsageError(
      "The only auth command is mini-claude auth status [--json]; keys come from the environment.",
    );
  const { settings } = loadSettings({ env, file: paths.settings, flags: [] });
  const source = keySource(settings, env);
  const { provider, variable, isReady } = source;
  const status = {
    loggedIn: isReady,
    authMethod: variable === null ? "none" : "api_key",
    apiProvider: provider === "anthropic" ? "firstParty" : "gateway",
    ...(variable === null ? {} : { apiKeySource: variable }),
  };
  out(values.json ? `${JSON.stringify(status)}\n` : inWords(settings, source));
  return isReady ? 0 : 1;
}

function inWords(
  { provider: wanted }: Settings,
  { provider, variable, isReady }: ReturnType<typeof keySource>,
): string {
  if (provider === "bedrock" || provider === "vertex")
    return `Calls go to ${provider}, with the credentials that its own programs use.\n`;
  if (provider === "offline") return "The offline model is in use; it needs no key.\n";
  const name = wanted === "auto" ? provider : wanted;
  if (variable !== null) return `The key for ${name} is in ${variable}.\n`;
  return `There is no key for ${name}${isReady ? "; its server may need none" : ""}.\n`;
}
