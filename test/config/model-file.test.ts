import { expect, test } from "bun:test";
import { childEnv, chooseProvider } from "../../src/config/credentials.ts";
import { defaultSettings, loadSettings } from "../../src/config/settings.ts";

test("a model says who serves it, whatever the settings say", () => {
  const env = { ANTHROPIC_API_KEY: "a", OPENROUTER_API_KEY: "o", MINI_CLAUDE_LAB_KEY: "l" };
  const choose = (model: Parameters<typeof chooseProvider>[2]) => {
    const settings = { ...defaultSettings, baseUrl: "http://settings" };
    const choice = chooseProvider(settings, env, model);
    const apiKey = "apiKey" in choice ? choice.apiKey?.reveal() : undefined;
    return { ...choice, apiKey };
  };
  expect(choose({ provider: "openrouter" })).toMatchObject({
    provider: "openai",
    baseUrl: "https://openrouter.ai/api/v1",
    apiKey: "o",
  });
  const lab = { baseUrl: "http://lab/v1", keyName: "MINI_CLAUDE_LAB_KEY" };
  expect(choose({ ...lab, api: "responses" })).toMatchObject({
    provider: "openai",
    api: "responses",
    baseUrl: "http://lab/v1",
    apiKey: "l",
  });
  expect(choose({ ...lab, api: "messages" })).toMatchObject({ provider: "anthropic", apiKey: "l" });
  // Anthropic's key is for Anthropic's server.
  expect(choose({ baseUrl: "http://lab/v1", api: "messages" }).apiKey).toBeUndefined();
});

test("clouds are chosen by name, or by the variables of Claude Code", () => {
  const choose = (env: Record<string, string>, provider: "auto" | "bedrock" | "vertex" = "auto") =>
    chooseProvider({ ...defaultSettings, provider }, env);
  expect(choose({}, "bedrock")).toEqual({ provider: "bedrock", region: "us-east-1" });
  expect(choose({ CLAUDE_CODE_USE_BEDROCK: "1", AWS_REGION: "eu-west-1" })).toEqual({
    provider: "bedrock",
    region: "eu-west-1",
  });
  expect(choose({ CLAUDE_CODE_USE_VERTEX: "1", ANTHROPIC_VERTEX_PROJECT_ID: "p" })).toEqual({
    provider: "vertex",
    region: "global",
    projectId: "p",
  });
});

test("the key of a server in the file is not taken for a setting", () => {
  const env = { MINI_CLAUDE_LAB_KEY: "l" };
  expect(loadSettings({ env, file: null, flags: [] }).problems).toEqual([]);
});

test("no command gets the key of any server", () => {
  const keys = { OPENROUTER_API_KEY: "o", MINI_CLAUDE_LAB_KEY: "l", GEMINI_API_KEY: "g" };
  expect(childEnv({ ...keys, PATH: "/bin" })).toEqual({ PATH: "/bin" });
});
