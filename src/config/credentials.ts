/** The user's keys: which provider they are for, and that no other program gets them. */

import type { Environment } from "../base/environment.ts";
import { addressSchema } from "./schema.ts";
import type { Settings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

/** A key. However it is printed, only "[secret]" appears. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The key itself. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[secret]";
  }
}

export type ProviderSettings =
  | {
      provider: "anthropic";
      apiKey?: Secret | undefined;
      authToken?: Secret | undefined;
      baseUrl?: string | undefined;
    }
  | { provider: "openai"; apiKey?: Secret | undefined; baseUrl: string }
  | { provider: "offline" };

/**
 * The provider and its key: the one in the setting `provider`; otherwise Anthropic if there is a key
 * or an address for it, then an OpenAI-compatible server, then the offline model. Throws
 * `UsageError` for an invalid address.
 */
export function chooseProvider(settings: Settings, env: Environment): ProviderSettings {
  switch (settings.provider) {
    case "offline":
      return { provider: "offline" };
    case "anthropic":
      return anthropic(settings, env);
    case "openai":
      return openai(settings, env);
    case "auto":
      if (env["ANTHROPIC_API_KEY"] || env["ANTHROPIC_AUTH_TOKEN"] || env["ANTHROPIC_BASE_URL"])
        return anthropic(settings, env);
      if (env["OPENAI_BASE_URL"] || env["OPENAI_API_KEY"]) return openai(settings, env);
      return settings.baseUrl === undefined ? { provider: "offline" } : anthropic(settings, env);
  }
}

function anthropic(settings: Settings, env: Environment): ProviderSettings {
  const apiKey = keyIn(env, "ANTHROPIC_API_KEY");
  const authToken = keyIn(env, "ANTHROPIC_AUTH_TOKEN");
  const baseUrl = settings.baseUrl ?? addressIn(env, "ANTHROPIC_BASE_URL");
  return { provider: "anthropic", apiKey, authToken, baseUrl };
}

function openai(settings: Settings, env: Environment): ProviderSettings {
  const apiKey = keyIn(env, "OPENAI_API_KEY");
  const baseUrl =
    settings.baseUrl ?? addressIn(env, "OPENAI_BASE_URL") ?? "https://api.openai.com/v1";
  return { provider: "openai", baseUrl, apiKey };
}

/** Pasted keys often end with a newline, which a header cannot hold. */
function keyIn(env: Environment, name: string): Secret | undefined {
  const key = env[name]?.trim();
  return key ? new Secret(key) : undefined;
}

function addressIn(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  if (addressSchema.safeParse(text).success) return text;
  throw new UsageError(
    `${name}: ${JSON.stringify(text)} is not a valid address; it must look like http://localhost:8080/v1.`,
  );
}

const ours =
  /^(ANTHROPIC_|OPENAI_|MINI_CLAUDE_|ORIG_NODE_ENV$|NODE_ENV$|BUN_JSC_(forceRAMSize|useFTLJIT)$|BUN_RUNTIME_TRANSPILER_CACHE_PATH$)/;

/** The variables that hold a provider's key, the strongest first. */
const keyNames: Record<ProviderSettings["provider"], readonly string[]> = {
  anthropic: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  openai: ["OPENAI_API_KEY"],
  offline: [],
};
const allKeyNames = Object.values(keyNames).flat();

/** Shorter values may occur in other variables by chance. */
const minKeyChars = 12;

/** The variables that hold our keys, under their names or as part of another value. */
function namesOfKeys(env: Environment): string[] {
  const keys = allKeyNames
    .map((name) => env[name]?.trim() ?? "")
    .filter((key) => key.length >= minKeyChars);
  return Object.entries(env).flatMap(([name, value = ""]) =>
    allKeyNames.includes(name) || keys.some((key) => value.includes(key)) ? [name] : [],
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

/** The model's provider, and the variable that holds the key; null: there is none. */
export function keySource(
  settings: Settings,
  env: Environment,
): { provider: "anthropic" | "openai" | "offline"; variable: string | null } {
  const { provider } = chooseProvider(settings, env);
  return { provider, variable: keyNames[provider].find((name) => env[name]?.trim()) ?? null };
}

/**
 * The environment at the start. Its keys are removed from `process.env` and, on Linux, from the
 * memory that /proc shows, and other programs can no longer look into this one.
 */
export async function takeEnvironment(): Promise<Environment> {
  const env = { ...process.env };
  const names = namesOfKeys(env);
  if (process.platform === "linux") await sealProcess(names, env);
  for (const name of names) delete process.env[name];
  return env;
}

/** From <sys/prctl.h>. Without a dump, memory and environment need the rights of a debugger. */
const PR_SET_DUMPABLE = 4;

async function sealProcess(names: readonly string[], env: Environment): Promise<void> {
  try {
    const { dlopen, FFIType } = await import("bun:ffi");
    const { i32, ptr, u64, cstring } = FFIType;
    const { symbols } = dlopen("libc.so.6", {
      prctl: { args: [i32, u64, u64, u64, u64], returns: i32 },
      getenv: { args: [cstring], returns: ptr },
      memset: { args: [ptr, i32, u64], returns: ptr },
    });
    symbols.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    for (const name of names) {
      const value = symbols.getenv(Buffer.from(`${name}\0`));
      if (value !== null) symbols.memset(value, 0, Buffer.byteLength(env[name] ?? ""));
    }
  } catch {
    // Another libc. The keys are still kept from every command's environment.
  }
}
