/** The user's keys: which provider they are for, and that no other program gets them. */

import { currentEnvironment, type Environment } from "../base/environment.ts";
import { anthropicUrl } from "../protocol/model.ts";
import {
  addressSchema,
  type Cloud,
  type FileModel,
  isOwnKeyName,
  type KnownServer,
  knownServers,
  type ServerName,
} from "./servers.ts";
import type { Settings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

/** A key. Printing does not show it. */
class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }
}

export type ProviderSettings =
  | {
      provider: "anthropic";
      apiKey?: Secret | undefined;
      authToken?: Secret | undefined;
      baseUrl?: string | undefined;
    }
  | {
      /** Any server that speaks OpenAI's API. */
      provider: "openai";
      apiKey?: Secret | undefined;
      baseUrl: string;
      /** The variable that holds the key. */
      keyName?: string | undefined;
      /** Absent: as the server's address says. */
      api?: "chat" | "responses" | undefined;
    }
  | { provider: Cloud; region: string; projectId?: string | undefined }
  | { provider: "offline" };

/**
 * The provider and its key: the one that `model` names, or that in the setting `provider`; otherwise
 * Anthropic if there is a key or an address for it, then what the variables of Claude Code name, then
 * an OpenAI-compatible server, then the offline model. Throws `UsageError` for an invalid address.
 */
export function chooseProvider(
  settings: Settings,
  env: Environment,
  model: FileModel | null = null,
): ProviderSettings {
  if (model?.baseUrl !== undefined) return ownServer(model.baseUrl, model, env);
  const provider = model?.provider ?? settings.provider;
  switch (provider) {
    case "offline":
      return { provider: "offline" };
    case "anthropic":
      return anthropic(settings, env);
    case "bedrock":
    case "vertex":
      return cloud(provider, env);
    case "auto":
      if (env["ANTHROPIC_API_KEY"] || env["ANTHROPIC_AUTH_TOKEN"] || env["ANTHROPIC_BASE_URL"])
        return anthropic(settings, env);
      if (isOn(env["CLAUDE_CODE_USE_BEDROCK"])) return cloud("bedrock", env);
      if (isOn(env["CLAUDE_CODE_USE_VERTEX"])) return cloud("vertex", env);
      if (env["OPENAI_BASE_URL"] || env["OPENAI_API_KEY"])
        return known("openai", settings, env, model);
      return settings.baseUrl === undefined ? { provider: "offline" } : anthropic(settings, env);
    default:
      return known(provider, settings, env, model);
  }
}

const isOn = (text: string | undefined): boolean => text === "1" || text === "true";

/** A server of the model file. */
function ownServer(baseUrl: string, { api, keyName }: FileModel, env: Environment) {
  const apiKey = keyName === undefined ? undefined : takeKey(env, keyName);
  return api === "messages"
    ? { provider: "anthropic" as const, apiKey, baseUrl }
    : { provider: "openai" as const, apiKey, baseUrl, keyName, api };
}

function cloud(provider: Cloud, env: Environment): ProviderSettings {
  if (provider === "bedrock")
    return { provider, region: env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || "us-east-1" };
  const projectId = env["ANTHROPIC_VERTEX_PROJECT_ID"] || undefined;
  return { provider, region: env["CLOUD_ML_REGION"] || "global", projectId };
}

function known(
  name: ServerName,
  settings: Settings,
  env: Environment,
  model: FileModel | null,
): ProviderSettings {
  const { baseUrl: usual, keyName }: KnownServer = knownServers[name];
  // When the model names its own provider, the address in the settings belongs to another one.
  const own = model?.provider === undefined ? settings.baseUrl : undefined;
  const inEnv = name === "openai" ? checkAddress(env, "OPENAI_BASE_URL") : undefined;
  return {
    provider: "openai",
    apiKey: keyName === null ? undefined : takeKey(env, keyName),
    baseUrl: own ?? inEnv ?? usual,
    keyName: keyName ?? undefined,
    api: model?.api === "messages" ? undefined : model?.api,
  };
}

function anthropic(settings: Settings, env: Environment): ProviderSettings {
  const apiKey = takeKey(env, "ANTHROPIC_API_KEY");
  const authToken = takeKey(env, "ANTHROPIC_AUTH_TOKEN");
  const baseUrl = settings.baseUrl ?? checkAddress(env, "ANTHROPIC_BASE_URL");
  return { provider: "anthropic", apiKey, authToken, baseUrl };
}

/** Pasted keys often end with a newline, which a header cannot hold. */
function takeKey(env: Environment, name: string): Secret | undefined {
  const key = env[name]?.trim();
  return key ? new Secret(key) : undefined;
}

function checkAddress(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  if (addressSchema.safeParse(text).success) return text;
  throw new UsageError(
    `${name}: ${JSON.stringify(text)} is not a valid address; it must look like http://localhost:8080/v1.`,
  );
}

const ours =
  /^(ANTHROPIC_|OPENAI_|MINI_CLAUDE_|ORIG_NODE_ENV$|NODE_ENV$|BUN_RUNTIME_TRANSPILER_CACHE_PATH$)/;

/** The variables that hold Anthropic's key, the strongest first. */
const anthropicKeys = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];
const allKeyNames = [
  ...anthropicKeys,
  ...Object.values(knownServers).flatMap(({ keyName }) => keyName ?? []),
];

/** Servers of the model file have keys under our own prefix. */
const isKeyName = (name: string): boolean => allKeyNames.includes(name) || isOwnKeyName(name);

/** Shorter values may occur in other variables by chance. */
const minKeyChars = 12;

/** The variables that hold our keys, under their names or as part of another value. */
function namesOfKeys(env: Environment): string[] {
  const keys = Object.keys(env)
    .filter(isKeyName)
    .map((name) => env[name]?.trim() ?? "")
    .filter((key) => key.length >= minKeyChars);
  return Object.entries(env).flatMap(([name, value = ""]) =>
    isKeyName(name) || keys.some((key) => value.includes(key)) ? [name] : [],
  );
}

/** The environment for commands that the agent runs: no keys, and NODE_ENV as the user set it. */
export function childEnv(env: Environment): Record<string, string> {
  const secret = namesOfKeys(env);
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !ours.test(name) && !secret.includes(name)) clean[name] = value;
  }
  // The shebang sets NODE_ENV and keeps the user's own value here.
  const own = "ORIG_NODE_ENV" in env ? env["ORIG_NODE_ENV"] : env["NODE_ENV"];
  if (own) clean["NODE_ENV"] = own;
  return clean;
}

/** The model's provider, the variable that holds the key (null: there is none), and whether a call can work. */
export function keySource(settings: Settings, env: Environment) {
  const choice = chooseProvider(settings, env);
  const names =
    choice.provider === "anthropic"
      ? anthropicKeys
      : choice.provider === "openai" && choice.keyName !== undefined
        ? [choice.keyName]
        : [];
  const variable = names.find((name) => env[name]?.trim()) ?? null;
  const address = "apiKey" in choice ? (choice.baseUrl ?? anthropicUrl) : "";
  // A server of one's own needs no key.
  return {
    provider: choice.provider,
    variable,
    isReady: variable !== null || !address.startsWith("https:"),
  };
}

/** The environment at the start. Its keys are removed from `process.env`, which children inherit. */
export function takeEnvironment(): Environment {
  const env = currentEnvironment();
  for (const name of namesOfKeys(env)) delete process.env[name];
  return env;
}
