/** Providers of models: servers by their names in the setting `provider`, and the user's file of models. */

import { z } from "zod";
import { parseJsonc } from "../base/guards.ts";
import { once } from "../base/once.ts";
import { readIfThere } from "./json-file.ts";
import { UsageError } from "./usage-error.ts";

/** Address of a server. Anything but HTTP would fail later, with a worse message. */
export const addressSchema = z.url({
  protocol: /^https?$/,
  error: "must look like http://localhost:8080/v1",
});

/** A server that speaks OpenAI's API. */
export type KnownServer = {
  title: string;
  baseUrl: string;
  /** The variable that holds the key; null: it needs none. */
  keyName: string | null;
};

export const knownServers = {
  openai: { title: "OpenAI", baseUrl: "https://api.openai.com/v1", keyName: "OPENAI_API_KEY" },
  openrouter: {
    title: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keyName: "OPENROUTER_API_KEY",
  },
  gemini: {
    title: "Google Gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyName: "GEMINI_API_KEY",
  },
  deepseek: {
    title: "DeepSeek",
    baseUrl: "https://api.deepseek.com/v1",
    keyName: "DEEPSEEK_API_KEY",
  },
  mistral: { title: "Mistral", baseUrl: "https://api.mistral.ai/v1", keyName: "MISTRAL_API_KEY" },
  xai: { title: "xAI", baseUrl: "https://api.x.ai/v1", keyName: "XAI_API_KEY" },
  groq: { title: "Groq", baseUrl: "https://api.groq.com/openai/v1", keyName: "GROQ_API_KEY" },
  cerebras: {
    title: "Cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
    keyName: "CEREBRAS_API_KEY",
  },
  together: {
    title: "Together",
    baseUrl: "https://api.together.xyz/v1",
    keyName: "TOGETHER_API_KEY",
  },
  fireworks: {
    title: "Fireworks",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyName: "FIREWORKS_API_KEY",
  },
  moonshot: {
    title: "Moonshot",
    baseUrl: "https://api.moonshot.ai/v1",
    keyName: "MOONSHOT_API_KEY",
  },
  zai: { title: "Z.ai", baseUrl: "https://api.z.ai/api/paas/v4", keyName: "ZAI_API_KEY" },
  ollama: { title: "Ollama", baseUrl: "http://localhost:11434/v1", keyName: null },
  lmstudio: { title: "LM Studio", baseUrl: "http://localhost:1234/v1", keyName: null },
  llamacpp: { title: "llama.cpp", baseUrl: "http://localhost:8080/v1", keyName: null },
} as const satisfies Record<string, KnownServer>;

export type ServerName = keyof typeof knownServers;

export const serverNames = Object.keys(knownServers) as ServerName[];

/** Claude on Amazon Bedrock and Google Vertex AI, each through its own package. */
export const clouds = ["bedrock", "vertex"] as const;

export type Cloud = (typeof clouds)[number];

export const providerNames = ["auto", "anthropic", ...clouds, ...serverNames, "offline"] as const;

/** Whether a variable holds the key of a server in the user's model file. */
export const isOwnKeyName = (name: string): boolean => /^MINI_CLAUDE_\w+_KEY$/.test(name);

/**
 * `models.json` in our own folder: models that the user adds, or about which they know better than the
 * catalog. `{"models": {"qwen": {"provider": "openrouter", "id": "qwen/qwen3-coder"}}}`
 */
const fileSchema = once(() => {
  const tokens = z.number().int().min(1);
  const usd = z.number().nonnegative();

  const modelSchema = z.strictObject({
    /** The server's own name of it; absent: the one in the file. */
    id: z.string().min(1).optional(),
    /** Provider of the model; absent: the setting `provider`. */
    provider: z.enum(["anthropic", ...clouds, ...serverNames]).optional(),
    /** The address of another server, the API that it speaks, and the variable with its key. */
    baseUrl: addressSchema.optional(),
    api: z.enum(["chat", "responses", "messages"]).optional(),
    keyName: z
      .string()
      .regex(/^MINI_CLAUDE_\w+_KEY$/, "must look like MINI_CLAUDE_SERVER_KEY")
      .optional(),
    windowTokens: tokens.optional(),
    outputTokens: tokens.optional(),
    /** US dollars for a million tokens. */
    prices: z
      .strictObject({
        input: usd,
        output: usd,
        cacheRead: usd.optional(),
        cacheWrite: usd.optional(),
      })
      .optional(),
  });

  return z.strictObject({
    $schema: z.string().optional(),
    models: z.record(z.string(), modelSchema),
  });
});

export type FileModel = z.infer<ReturnType<typeof fileSchema>>["models"][string];

/** By the name that the user gives to a model. */
export type ModelFile = Readonly<Record<string, FileModel>>;

/** Empty when there is no file. Throws `UsageError` with the first thing that is wrong in it. */
export function readModelFile(file: string): ModelFile {
  const text = readIfThere(file);
  if (text === null) return {};
  const json = parseJsonc(text);
  if (json === undefined)
    throw new UsageError(`${file} is not valid JSON. Correct it or remove it.`);
  const { data, error } = fileSchema().safeParse(json);
  if (data) return data.models;
  const { path = [], message = "" } = error.issues[0] ?? {};
  const where = path.length === 0 ? "" : ` ${path.join(".")}:`;
  throw new UsageError(`${file}:${where} ${message}. Correct it or remove it.`);
}

/** A model by the user's name for it or by its server's; null: the file does not name it. */
export const findModel = (file: ModelFile, name: string): FileModel | null =>
  (Object.hasOwn(file, name) ? file[name] : undefined) ??
  Object.values(file).find(({ id }) => id === name) ??
  null;
