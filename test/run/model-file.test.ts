/** Models of the user's file, each at its own server, in one session. */

import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseFlags } from "../../src/config/flags.ts";
import { openRun, startForProgram, type OpenRun } from "../../src/run/open-run.ts";
import { chatServer, ok } from "../model/chat-server.ts";
import { testFolder } from "../folder.ts";

const home = testFolder("model-file");
function serve(pages = {}) {
  const { fetch, ...fake } = chatServer(() => ok, pages);
  const calls: { path: string; key: string | null }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(http) {
      calls.push({ path: new URL(http.url).pathname, key: http.headers.get("authorization") });
      return fetch(http.url, { method: "POST", headers: http.headers, body: await http.text() });
    },
  });
  afterAll(() => server.stop(true));
  return { ...fake, calls, url: server.url.origin };
}
const usual = serve();
const lab = serve({ "/v1/models": { data: [{ id: "lab-1" }, { id: "lab-2" }] } });

const qwen = {
  provider: "openrouter",
  id: "qwen/qwen3-coder",
  windowTokens: 262_144,
  prices: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.5 },
};

/** A session that starts with this model. */
async function open(requested: string, file?: unknown) {
  const env = {
    MINI_CLAUDE_HOME: home,
    HOME: home,
    OPENAI_API_KEY: "sk-usual",
    OPENAI_BASE_URL: usual.url,
    MINI_CLAUDE_LAB_KEY: " sk-lab\n",
    ANTHROPIC_API_KEY: "sk-claude",
    ANTHROPIC_BASE_URL: lab.url,
  };
  const entry = {
    id: "lab-1",
    baseUrl: lab.url,
    keyName: "MINI_CLAUDE_LAB_KEY",
    windowTokens: 77_000,
    outputTokens: 5_000,
    prices: { input: 3, output: 9 },
  };
  writeFileSync(
    join(home, "models.json"),
    JSON.stringify(file ?? { models: { lab: entry, qwen } }),
  );
  const flags = parseFlags(["--provider=openai", `--model=${requested}`]);
  return openRun(await startForProgram(flags, env, home));
}

/** Changes the model, and prompts it. */
async function ask({ send, events }: OpenRun, model: string): Promise<void> {
  send({ type: "model", model });
  send({ type: "prompt", content: [{ type: "text", text: "hi" }] });
  for (let left = 2; left > 0;) if ((await events.next()).value?.type === "idle") left--;
}

test("each model is called at its own server, with that server's key, from whichever the session starts", async () => {
  for (const start of ["lab", "usual"]) {
    const opened = await open(start);
    for (const [name, server, key] of [
      ["lab", lab, "sk-lab"],
      ["usual", usual, "sk-usual"],
    ] as const) {
      await ask(opened, name);
      expect(server.sent.at(-1)?.["model"]).toBe(name === "lab" ? "lab-1" : name);
      expect(server.headers.at(-1)?.get("authorization")).toBe(`Bearer ${key}`);
    }
    await opened.close();
  }
});

test("models are asked by the API and the provider that each names, with its own key or none", async () => {
  const [baseUrl, keyName] = [lab.url, "MINI_CLAUDE_LAB_KEY"];
  const models = {
    chat: { baseUrl, keyName },
    responses: { baseUrl, keyName, api: "responses" },
    messages: { baseUrl, keyName, api: "messages" },
    open: { baseUrl, api: "messages" },
    claude: { provider: "anthropic" },
    gpt: { provider: "openai", api: "responses" },
  };
  const opened = await open("chat", { models });
  for (const [model, path, key] of [
    ["responses", "/v1/responses", "sk-lab"],
    ["messages", "/v1/messages", "sk-lab"],
    ["open", "/v1/messages", "none"],
    ["claude", "/v1/messages", "sk-claude"],
    ["gpt", "/v1/responses", "sk-usual"],
  ] as const) {
    await ask(opened, model);
    const calls = [...lab.calls, ...usual.calls];
    expect(calls.findLast((call) => call.path === path)?.key).toBe(`Bearer ${key}`);
  }
  await opened.close();
});

test("the limits and prices of the file are those of the model", async () => {
  const { run, close } = await open("lab");
  expect(run.modelName).toBe("lab-1");
  const prices = { input: 3, output: 9, cacheRead: 3, cacheWrite5m: 3, cacheWrite1h: 3 };
  expect(run.rules).toMatchObject({ windowTokens: 77_000, outputTokens: 5_000, prices });
  expect((await run.model.rules("usual")).windowTokens).not.toBe(77_000);
  expect(await run.model.models()).toEqual(["lab", "qwen", "lab-1", "lab-2"]);
  // A model is found by its name and by its server's.
  for (const name of ["qwen", "qwen/qwen3-coder"])
    expect(await run.model.rules(name)).toMatchObject({
      windowTokens: 262_144,
      prices: { cacheRead: 0.1, cacheWrite5m: 1.5, cacheWrite1h: 1.5 },
    });
  await close();
});

test.each<[unknown, string]>([
  ["{", "models.json"],
  [{ models: { m: { windowTokens: "many" } } }, "models.m.windowTokens"],
  [{ models: { m: { key: "sk-1" } } }, "models.m"],
  [{ models: { m: { keyName: "ANTHROPIC_API_KEY" } } }, "MINI_CLAUDE_SERVER_KEY"],
])("%j is refused with what is wrong", async (content, words) => {
  await expect(open("lab", content)).rejects.toThrow(words);
});
