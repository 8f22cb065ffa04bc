import { expect, test } from "bun:test";
import { inspect } from "node:util";
import { childEnv, chooseProvider, Secret } from "../../src/config/credentials.ts";
import { defaultSettings, type Settings } from "../../src/config/settings.ts";

const choose = (env: Record<string, string>, own: Partial<Settings> = {}) =>
  chooseProvider({ ...defaultSettings, ...own }, env);

test("printing a key shows only [secret]", () => {
  const secret = new Secret("sk-ant-hush");
  const shown = [
    `${secret}`,
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }, { depth: 9, showHidden: true }),
    Bun.inspect({ secret }),
    new Error(`with ${secret}`).message,
    JSON.stringify(structuredClone(secret)),
    Object.values(secret).join(),
  ];
  for (const text of shown) expect(text).not.toContain("hush");
  expect(secret.reveal()).toBe("sk-ant-hush");
});

test.each([
  [{}, {}, { provider: "offline" }],
  [{ ANTHROPIC_API_KEY: "" }, {}, { provider: "offline" }],
  [{ ANTHROPIC_API_KEY: "k" }, {}, { provider: "anthropic" }],
  [{ ANTHROPIC_AUTH_TOKEN: "t", OPENAI_API_KEY: "k" }, {}, { provider: "anthropic" }],
  [{ ANTHROPIC_BASE_URL: "http://a" }, {}, { provider: "anthropic", baseUrl: "http://a" }],
  [{ OPENAI_BASE_URL: "http://o/v1" }, {}, { provider: "openai", baseUrl: "http://o/v1" }],
  [{ OPENAI_API_KEY: "k" }, {}, { provider: "openai", baseUrl: "https://api.openai.com/v1" }],
  [{ ANTHROPIC_API_KEY: "k" }, { provider: "offline" }, { provider: "offline" }],
  [
    { ANTHROPIC_API_KEY: "k" },
    { provider: "openai", baseUrl: "http://s" },
    { provider: "openai", baseUrl: "http://s" },
  ],
  [{}, { provider: "anthropic" }, { provider: "anthropic" }],
  [
    { ANTHROPIC_BASE_URL: "http://a" },
    { baseUrl: "http://s" },
    { provider: "anthropic", baseUrl: "http://s" },
  ],
  [{}, { baseUrl: "http://s" }, { provider: "anthropic", baseUrl: "http://s" }],
] as const)("%o with %o asks %o", (env, own, expected) => {
  const { provider, ...rest } = choose({ ...env }, own);
  expect({ provider, ...("baseUrl" in rest ? { baseUrl: rest.baseUrl } : {}) }).toEqual(expected);
});

test("keys are trimmed, and an empty one counts as none", () => {
  const choice = choose({ ANTHROPIC_API_KEY: " sk-1\n", ANTHROPIC_AUTH_TOKEN: "\n" });
  expect(choice.provider === "anthropic" && choice.apiKey?.reveal()).toBe("sk-1");
  expect(choice.provider === "anthropic" && choice.authToken).toBeUndefined();
});

test("an invalid address is refused in one sentence", () => {
  expect(() => choose({ OPENAI_BASE_URL: "localhost:11434" })).toThrow(
    'OPENAI_BASE_URL: "localhost:11434" is not a valid address; it must look like http://localhost:8080/v1.',
  );
});

test("a copy of a key is hidden, however the key was pasted; a short word is not a key", () => {
  const copied = (key: string) => childEnv({ ANTHROPIC_API_KEY: `${key}\n`, COPY: `x ${key} y` });
  expect(copied("twelve-chars")).toEqual({});
  expect(copied("eleven-char")).toEqual({ COPY: "x eleven-char y" });
});

test("commands get no key under any name, and the user's NODE_ENV", () => {
  const key = "sk-ant-0123456789";
  const env = {
    PATH: "/bin",
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: "http://a",
    OPENAI_API_KEY: "short",
    MY_COPY: `Bearer ${key}`,
    WORD: "short",
    MINI_CLAUDE_HOME: "/m",
    NODE_ENV: "production",
    GONE: undefined,
  };
  expect(childEnv({ ...env, ORIG_NODE_ENV: "staging" })).toEqual({
    PATH: "/bin",
    WORD: "short",
    NODE_ENV: "staging",
  });
  expect(childEnv({ ...env, ORIG_NODE_ENV: "" })).toEqual({ PATH: "/bin", WORD: "short" });
  expect(childEnv(env)).toHaveProperty("NODE_ENV", "production");
});
