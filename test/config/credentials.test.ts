/** Which provider gets which key, as `doctor` tells it; and that commands get none. */

import { afterAll, expect, test } from "bun:test";
import { commandEnv } from "../../src/trust/project/project.ts";
import { sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";

const box = inProcess(await sandbox("credentials"));
afterAll(box.remove);

/** What `doctor` says of the model. */
async function model(env: Record<string, string>): Promise<string> {
  const { out } = await box.run(["doctor"], { env });
  return /^\w+ +Model +(.*)$/m.exec(out)?.[1] ?? out;
}

const [claude, gpt] = [{ ANTHROPIC_API_KEY: "k" }, { OPENAI_API_KEY: "k" }];
const at = (baseUrl: string) => ({ MINI_CLAUDE_BASE_URL: baseUrl });
const by = (provider: string) => ({ MINI_CLAUDE_PROVIDER: provider });

test.each<[env: Record<string, string>, said: string]>([
  [{}, "only the built-in offline model"],
  [{ ANTHROPIC_API_KEY: "" }, "only the built-in offline model"],
  [claude, "at https://api.anthropic.com, key in ANTHROPIC_API_KEY"],
  [{ ANTHROPIC_API_KEY: "\n", ANTHROPIC_AUTH_TOKEN: "t", ...gpt }, "key in ANTHROPIC_AUTH_TOKEN"],
  [{ ANTHROPIC_AUTH_TOKEN: "t", ...claude }, "key in ANTHROPIC_API_KEY"],
  [{ ANTHROPIC_BASE_URL: "http://a", ...gpt }, "at http://a, without a key"],
  [{ OPENAI_BASE_URL: " http://o/v1\n" }, "at http://o/v1, without a key"],
  [gpt, "at https://api.openai.com/v1, key in OPENAI_API_KEY"],
  [{ ...claude, ...by("offline") }, "only the built-in offline model"],
  [{ ...gpt, ...by("anthropic") }, "at https://api.anthropic.com, without a key"],
  [{ ...claude, ...gpt, ...by("openai"), ...at("http://s") }, "at http://s, key in OPENAI_API_KEY"],
  [
    { OPENAI_BASE_URL: "http://o", ...by("groq") },
    "at https://api.groq.com/openai/v1, without a key",
  ],
  [by("ollama"), "at http://localhost:11434/v1, without a key"],
  [
    { ...claude, ANTHROPIC_BASE_URL: "http://a", ...at("http://s") },
    "at http://s, key in ANTHROPIC",
  ],
  [by("bedrock"), "at us-east-1, without a key"],
  [
    { CLAUDE_CODE_USE_BEDROCK: "1", AWS_REGION: "eu-west-1", ...gpt },
    "at eu-west-1, without a key",
  ],
  [{ CLAUDE_CODE_USE_BEDROCK: "0", CLAUDE_CODE_USE_VERTEX: "true" }, "at global, without a key"],
  [
    { OPENAI_BASE_URL: "localhost:11434" },
    'OPENAI_BASE_URL: "localhost:11434" is not a valid address; it must look like http://localhost:8080/v1.',
  ],
])("%o: the model is %s", async (env, said) => {
  expect(await model(env)).toContain(said);
});

const childEnv = (env: Record<string, string | undefined>) =>
  commandEnv(env, { root: "/", isTrusted: true });

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
    OPENROUTER_API_KEY: "o",
    MINI_CLAUDE_LAB_KEY: "l",
    MY_COPY: `Bearer ${key}`,
    WORD: "short",
    MINI_CLAUDE_HOME: "/m",
    NODE_ENV: "production",
    GONE: undefined,
  };
  const rest = { PATH: "/bin", WORD: "short" };
  expect(childEnv({ ...env, ORIG_NODE_ENV: "staging" })).toEqual({ ...rest, NODE_ENV: "staging" });
  expect(childEnv({ ...env, ORIG_NODE_ENV: "" })).toEqual(rest);
  expect(childEnv(env)).toEqual({ ...rest, NODE_ENV: "production" });
});
