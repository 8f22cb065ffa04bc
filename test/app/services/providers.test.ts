/** What /connect knows: who can serve a model. */

import { afterEach, expect, mock, spyOn, test } from "bun:test";
import { join } from "node:path";
import { folders, openServices } from "./open.ts";

const { home, cwd } = folders("providers")();

afterEach(() => {
  mock.restore();
});

/** Answers by port; all other ports refuse the connection. */
function machine(ports: Record<string, () => Promise<Response>>): void {
  const answer = (url: string | URL | Request): Promise<Response> =>
    ports[new URL(String(url)).port]?.() ?? Promise.reject(new Error("refused"));
  spyOn(globalThis, "fetch").mockImplementation(
    Object.assign(answer, { preconnect: () => undefined }),
  );
}

async function service(env: Record<string, string> = {}) {
  return (await openServices({ home, cwd, args: ["--offline"], env })).services.providers;
}

test("every provider is listed with what was looked for; what is ready comes first", async () => {
  machine({});
  const env = { OPENROUTER_API_KEY: "k", GROQ_API_KEY: " " };
  const offers = await (await service(env)).list();
  expect(offers.map(({ provider }) => String(provider)).toSorted()).toEqual(
    (
      "anthropic bedrock cerebras deepseek fireworks gemini groq llamacpp lmstudio mistral moonshot " +
      "ollama openai openrouter together vertex xai zai"
    ).split(" "),
  );
  expect(offers.filter(({ isReady }) => isReady)).toMatchObject([
    { provider: "openrouter", found: "its key is in OPENROUTER_API_KEY" },
  ]);
  const find = (name: string) => offers.find(({ provider }) => provider === name)?.found;
  expect(find("anthropic")).toBe("no key in ANTHROPIC_API_KEY");
  expect(find("lmstudio")).toBe("nothing answers at localhost:1234");
  expect(find("vertex")).toBe("no credentials");
  expect((await (await service({ ANTHROPIC_AUTH_TOKEN: "t" })).list())[0]).toMatchObject({
    provider: "anthropic",
    found: "its key is in ANTHROPIC_AUTH_TOKEN",
    isReady: true,
  });
});

test("a cloud is listed with where its credentials are, and its models of Claude", async () => {
  const env = { AWS_PROFILE: "work", AWS_REGION: "eu-west-1" };
  const find = async (more: Record<string, string>, name: string) =>
    (await (await service(more)).list()).find(({ provider }) => provider === name);
  expect(await find(env, "bedrock")).toMatchObject({
    title: "Amazon Bedrock",
    found: "its credentials are in AWS_PROFILE",
    isReady: true,
  });
  const google = join(home, "with-google");
  await Bun.write(join(google, ".config/gcloud/application_default_credentials.json"), "{}");
  expect(await find({ HOME: google }, "vertex")).toMatchObject({
    found: "its credentials are in ~/.config/gcloud/application_default_credentials.json",
    isReady: true,
  });
  expect((await (await service(env)).models("bedrock", null)).join(" ")).toContain(
    "claude-sonnet-5-5",
  );
});

test("servers of this machine are those that answer with models, in time", async () => {
  const models = (...ids: string[]) =>
    Promise.resolve(Response.json({ data: ids.map((id) => ({ id })) }));
  const providers = await service();
  const find = async () => (await providers.list()).flatMap(({ server }) => server ?? []);
  machine({ "11434": () => models("qwen3:8b", "llama3"), "8080": () => models("local.gguf") });
  expect(await find()).toEqual([
    { name: "Ollama", baseUrl: "http://localhost:11434/v1", models: ["qwen3:8b", "llama3"] },
    { name: "llama.cpp", baseUrl: "http://localhost:8080/v1", models: ["local.gguf"] },
  ]);
  machine({
    "11434": () => Promise.resolve(new Response("<html>")),
    "1234": () => Promise.resolve(new Response("no", { status: 500 })),
    "8080": () => models(),
  });
  expect(await find()).toEqual([]);
});
