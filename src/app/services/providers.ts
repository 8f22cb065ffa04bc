/** Who can serve a model: what was looked for, which models there are, and llama.cpp as a child. */

import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { quoteWhereNeeded } from "../../base/shell-quote.ts";
import { childEnv, chooseProvider } from "../../config/credentials.ts";
import {
  type Cloud,
  clouds,
  type KnownServer,
  knownServers,
  type ServerName,
  serverNames,
} from "../../config/servers.ts";
import type { Settings } from "../../config/settings.ts";
import { cloudNames } from "../../model/anthropic/sdk.ts";
import { detectLocalServers, listModels } from "../../model/network.ts";
import type { LocalServer, ProviderName, ProviderOffer, ProviderService } from "../../ui/types.ts";
import { createClient } from "../../run/model.ts";

type ProviderOptions = { settings: Settings; env: Environment; cwd: string };

export const providerService = (options: ProviderOptions): ProviderService => ({
  list: () => listProviders(options.env),
  async models(provider, key) {
    const { settings, env } = withProvider(options, provider, key);
    const client = await createClient(chooseProvider(settings, env), settings);
    return client.models();
  },
  startCommand: (program, file) =>
    [program, ...serverArguments(absolute(file, options), "PORT")].map(quoteWhereNeeded).join(" "),
  start: (program, file, signal) =>
    startServer(program, absolute(file, options), options.env, signal),
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
  const home = env["HOME"] || homedir();
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
    program: null,
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
    const common = { provider, title, keyName, server: null, program: null };
    if (keyName !== null) {
      const names = provider === "anthropic" ? [keyName, "ANTHROPIC_AUTH_TOKEN"] : [keyName];
      const source = names.find((name) => env[name]?.trim());
      const found = source === undefined ? `no key in ${keyName}` : `its key is in ${source}`;
      return { ...common, found, isReady: source !== undefined };
    }
    const server = running.find(({ name }) => name === title) ?? null;
    const where = new URL(baseUrl).host;
    if (server) return { ...common, server, isReady: true, found: `answers at ${where}` };
    const program =
      provider === "llamacpp" ? Bun.which("llama-server", { PATH: env["PATH"] ?? "" }) : null;
    const found =
      program === null ? `nothing answers at ${where}` : "installed; Enter starts llama-server";
    return { ...common, program, isReady: false, found };
  });
  offers.splice(1, 0, ...clouds.map((cloud) => offerCloud(cloud, env)));
  return offers.toSorted((a, b) => Number(b.isReady) - Number(a.isReady));
}

function absolute(file: string, { env, cwd }: Pick<ProviderOptions, "env" | "cwd">): string {
  const path = file.replace(/^~(?=\/|$)/, env["HOME"] || homedir());
  return isAbsolute(path) ? path : resolve(join(cwd, path));
}

const serverArguments = (file: string, port: number | string): string[] =>
  `--host 127.0.0.1 --port ${port} --model`.split(" ").concat(file);

const pollMs = 250;
const maxErrorChars = 4_000;

/** Resolves once it lists its model, however long that takes to load; it has no keys. */
async function startServer(
  program: string,
  file: string,
  env: Environment,
  signal: AbortSignal,
): Promise<LocalServer> {
  if (!(await Bun.file(file).exists())) throw new Error(`There is no file ${file}.`);
  const port = await findFreePort();
  const child = Bun.spawn([program, ...serverArguments(file, port)], {
    env: childEnv(env),
    stdio: ["ignore", "ignore", "pipe"],
  });
  // It serves the sessions that follow, too.
  process.once("exit", () => child.kill());
  child.unref();
  signal.addEventListener("abort", () => child.kill());
  let said = "";
  const reading = (async () => {
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream()))
      said = (said + chunk).slice(-maxErrorChars);
  })();
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  while (child.exitCode === null && child.signalCode === null) {
    const models = await listModels({ headers: {}, fetch }, `${baseUrl}/models`);
    if (models.length > 0) return { name: "llama.cpp", baseUrl, models };
    await Promise.race([child.exited, Bun.sleep(pollMs)]);
  }
  await reading.catch(() => undefined);
  const last = said.trim().split("\n").at(-1) ?? "";
  throw new Error(`llama-server ended before it answered${last === "" ? "." : `: ${last}`}`);
}

const findFreePort = (): Promise<number> =>
  new Promise((found, failed) => {
    const server = createServer().once("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => found(port));
    });
  });

/** Says, when only the offline model answers, what that is and how to connect a better one. */
export function providerNotice(servers: readonly LocalServer[]): string {
  const running = servers.map(({ name, models }) => `${name} (${models[0]})`).join(" and ");
  const better =
    running === ""
      ? "For a real one paste a key in /connect, or set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL or OPENAI_BASE_URL for a server of your own."
      : `Running here: ${running}; /connect switches.`;
  return `The built-in offline model answers: not a language model, but rules that search, read and edit files and run commands. ${better}`;
}
