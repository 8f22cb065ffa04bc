/** Finds available providers and their models. */

import { existsSync } from "node:fs";
import type { Environment } from "../../base/environment.ts";
import { chooseProvider } from "../../config/credentials.ts";
import {
  type Cloud,
  clouds,
  type KnownServer,
  knownServers,
  type ServerName,
  serverNames,
} from "../../config/servers.ts";
import { findHome } from "../../config/paths.ts";
import type { Settings } from "../../config/settings.ts";
import { cloudNames } from "../../model/anthropic/sdk.ts";
import { detectLocalServers } from "../../model/network.ts";
import type { LocalServer, ProviderName, ProviderOffer, ProviderService } from "../../ui/types.ts";
import { createClient } from "../../run/model.ts";

type ProviderOptions = { settings: Settings; env: Environment };

export const providerService = (options: ProviderOptions): ProviderService => ({
  list: () => listProviders(options.env),
  async models(provider, key) {
    const { settings, env } = withProvider(options, provider, key);
    const client = await createClient(chooseProvider(settings, env), settings);
    return client.models();
  },
});

const anthropicKey = "ANTHROPIC_API_KEY";

function findKeyName(provider: ProviderName): string | null {
  if (provider === "anthropic") return anthropicKey;
  return isCloud(provider) ? null : knownServers[provider].keyName;
}

const isCloud = (provider: ProviderName): provider is Cloud =>
  clouds.some((cloud) => cloud === provider);

/** Where a cloud's own programs look for credentials: variables, then files in the home folder. */
const cloudCredentials: Record<Cloud, { variables: string[]; files: string[] }> = {
  bedrock: {
    variables: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE"],
    files: [".aws/credentials", ".aws/config"],
  },
  vertex: {
    variables: ["GOOGLE_APPLICATION_CREDENTIALS"],
    files: [".config/gcloud/application_default_credentials.json"],
  },
};

function offerCloud(provider: Cloud, env: Environment): ProviderOffer {
  const { variables, files } = cloudCredentials[provider];
  const home = findHome(env);
  const source =
    variables.find((name) => env[name]?.trim()) ??
    files.map((file) => `~/${file}`).find((file) => existsSync(file.replace("~", home)));
  return {
    provider,
    title: cloudNames[provider],
    keyName: null,
    found: source === undefined ? "no credentials" : `its credentials are in ${source}`,
    isReady: source !== undefined,
    server: null,
  };
}

/** The settings and the environment in which this provider answers. */
export function withProvider<T extends Pick<ProviderOptions, "settings" | "env">>(
  options: T,
  provider: ProviderName,
  key: string | null,
): T {
  const { baseUrl: _, ...settings } = options.settings;
  const name = findKeyName(provider);
  const env = name === null || key === null ? options.env : { ...options.env, [name]: key };
  return { ...options, settings: { ...settings, provider }, env };
}

/** Ready providers first. */
async function listProviders(env: Environment): Promise<ProviderOffer[]> {
  const running = await detectLocalServers();
  const anthropic = { title: "Anthropic", keyName: anthropicKey, baseUrl: "" };
  const all: ["anthropic" | ServerName, KnownServer][] = [
    ["anthropic", anthropic],
    ...serverNames.map((name): [ServerName, KnownServer] => [name, knownServers[name]]),
  ];
  const offers = all.map(([provider, { title, keyName, baseUrl }]): ProviderOffer => {
    const common = { provider, title, keyName, server: null };
    if (keyName !== null) {
      const names = provider === "anthropic" ? [keyName, "ANTHROPIC_AUTH_TOKEN"] : [keyName];
      const source = names.find((name) => env[name]?.trim());
      const found = source === undefined ? `no key in ${keyName}` : `its key is in ${source}`;
      return { ...common, found, isReady: source !== undefined };
    }
    const server = running.find(({ name }) => name === title) ?? null;
    const where = new URL(baseUrl).host;
    if (server) return { ...common, server, isReady: true, found: `answers at ${where}` };
    return { ...common, isReady: false, found: `nothing answers at ${where}` };
  });
  offers.splice(1, 0, ...clouds.map((cloud) => offerCloud(cloud, env)));
  return offers.toSorted((a, b) => Number(b.isReady) - Number(a.isReady));
}

/** Says, when only the offline model answers, what that is and how to connect a better one. */
export function providerNotice(servers: readonly LocalServer[]): string {
  const running = servers.map(({ name, models }) => `${name} (${models[0]})`).join(" and ");
  const better =
    running === ""
      ? "For a real one paste a key in /connect, or set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL or OPENAI_BASE_URL for a server of your own."
      : `Running here: ${running}; /connect switches.`;
  return `The built-in offline model answers: not a language model, but rules that search, read and edit files and run commands. ${better}`;
}
