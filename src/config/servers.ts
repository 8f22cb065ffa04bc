/** Servers of models by their names in the setting `provider`, beside Anthropic's. */

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
