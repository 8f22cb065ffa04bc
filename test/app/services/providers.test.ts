/** What /connect knows: who can serve a model, and a llama.cpp that it starts. */

import { afterAll, expect, test } from "bun:test";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { providerService } from "../../../src/app/services/providers.ts";
import { defaultSettings } from "../../../src/config/schema.ts";
import { clouds, serverNames } from "../../../src/config/servers.ts";
import { idle, program } from "../../ui/program.ts";

const on = await program("providers");
afterAll(on.remove);

const bin = join(on.root, "llama");
const env = { ...on.env, PATH: `${bin}:${on.env["PATH"]}` };
const service = (more: Record<string, string> = {}) =>
  providerService({ settings: defaultSettings, env: { ...env, ...more }, cwd: on.folder });

/** A llama-server that answers as the real one does: 503 while it loads its model. */
async function installServer(): Promise<void> {
  await mkdir(bin, { recursive: true });
  const file = join(bin, "llama-server");
  await Bun.write(
    file,
    `#!/usr/bin/env bun
const [, , ...words] = process.argv;
const value = (name) => words[words.indexOf(name) + 1];
if ((await Bun.file(value("--model")).text()) !== "weights") {
  console.error("loading\\nerror: this is not a model");
  process.exit(1);
}
if (process.env.OPENROUTER_API_KEY) process.exit(3);
let asked = 0;
Bun.serve({
  hostname: value("--host"),
  port: Number(value("--port")),
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/v1/models")
      return ++asked < 3
        ? new Response("loading", { status: 503 })
        : Response.json({ data: [{ id: "tiny.gguf" }] });
    const delta = { content: "Hello from llama." };
    const chunk = { id: "1", choices: [{ index: 0, delta, finish_reason: "stop" }] };
    return new Response("data: " + JSON.stringify(chunk) + "\\n\\ndata: [DONE]\\n\\n", {
      headers: { "content-type": "text/event-stream" },
    });
  },
});
`,
  );
  await chmod(file, 0o755);
}

test("every provider is listed with what was looked for; what is ready comes first", async () => {
  const offers = await service({ OPENROUTER_API_KEY: "k" }).list();
  expect(offers.map(({ provider }) => provider).toSorted()).toEqual(
    ["anthropic" as const, ...clouds, ...serverNames].toSorted(),
  );
  expect(offers.find(({ isReady }) => isReady)).toMatchObject({
    provider: "openrouter",
    found: "its key is in OPENROUTER_API_KEY",
  });
  const find = (name: string) => offers.find(({ provider }) => provider === name)?.found;
  expect(find("anthropic")).toBe("no key in ANTHROPIC_API_KEY");
  expect(find("lmstudio")).toBe("nothing answers at localhost:1234");
  expect(find("vertex")).toBe("no credentials");
  expect((await service({ ANTHROPIC_AUTH_TOKEN: "t" }).list())[0]).toMatchObject({
    provider: "anthropic",
    found: "its key is in ANTHROPIC_AUTH_TOKEN",
    isReady: true,
  });
});

test("a cloud is listed with where its credentials are, and its models of Claude", async () => {
  const env = { AWS_PROFILE: "work", AWS_REGION: "eu-west-1" };
  const find = async (more: Record<string, string>, name: string) =>
    (await service(more).list()).find(({ provider }) => provider === name);
  expect(await find(env, "bedrock")).toMatchObject({
    title: "Amazon Bedrock",
    found: "its credentials are in AWS_PROFILE",
    isReady: true,
  });
  const home = join(on.root, "with-google");
  await Bun.write(join(home, ".config/gcloud/application_default_credentials.json"), "{}");
  expect(await find({ HOME: home }, "vertex")).toMatchObject({
    found: "its credentials are in ~/.config/gcloud/application_default_credentials.json",
    isReady: true,
  });
  expect((await service(env).models("bedrock", null)).join(" ")).toContain("claude-sonnet-5-5");
});

test("the screen finds the keys of the environment", async () => {
  const pty = await on.open({ env: { OPENROUTER_API_KEY: "k" } });
  await pty.type("/connect\r");
  await pty.waitFor(/ready\n.*OpenRouter +its key is in OPENROUTER_API_KEY/);
  await pty.close();
});

test("a model file that is missing, or refused by llama-server, is said in a sentence", async () => {
  await installServer();
  const { start } = service();
  const server = join(bin, "llama-server");
  const { signal } = new AbortController();
  await expect(start(server, "none.gguf", signal)).rejects.toThrow("There is no file");
  await Bun.write(join(on.folder, "bad.gguf"), "x");
  await expect(start(server, "bad.gguf", signal)).rejects.toThrow(
    "llama-server ended before it answered: error: this is not a model",
  );
});

test("Esc stops a llama-server that is loading its model, and the panel stays", async () => {
  await installServer();
  // It never answers.
  await Bun.write(join(bin, "llama-server"), "#!/bin/sh\nexec sleep 6000\n");
  await Bun.write(join(on.folder, "tiny.gguf"), "weights");
  const pty = await on.open({ args: ["--offline"], env, rows: 40 });
  await pty.type("/connect\r");
  await pty.waitFor("installed; Enter starts llama-server");
  await pty.type("llama.cpp\r");
  await pty.waitFor("Enter runs this, until you quit");
  await pty.type("tiny.gguf");
  await pty.press("enter");
  await pty.waitFor("Esc stops it");
  await pty.press("escape");
  await pty.waitFor("Stopped.");
  await pty.press("escape");
  await pty.waitFor("installed; Enter starts llama-server");
  await pty.close();
});

test("/connect starts a llama.cpp server for a model file, says the command, and talks to it", async () => {
  await installServer();
  await Bun.write(join(on.folder, "tiny.gguf"), "weights");
  const key = { OPENROUTER_API_KEY: "secret" };
  const pty = await on.open({ args: ["--offline"], env: { ...env, ...key }, rows: 40 });
  await pty.type("/connect\r");
  await pty.waitFor("installed; Enter starts llama-server");
  await pty.type("llama.cpp\r");
  await pty.waitFor("Enter runs this, until you quit");
  await pty.type("tiny.gguf");
  await pty.waitFor(/providers\/tiny\.gguf/);
  await pty.press("enter");
  await pty.waitFor((now) => /tiny\.gguf · asks/.test(now) && idle.test(now));
  await pty.type("hi\r");
  await pty.waitFor("Hello from llama.");
  await pty.close();
});

test("without a key, one is pasted, and the provider's models are offered", async () => {
  const pty = await on.open({ args: ["--offline"] });
  await pty.type("/connect\r");
  await pty.waitFor("no key in GROQ_API_KEY");
  await pty.type("groq\r");
  await pty.waitFor("Groq API key");
  await pty.press("escape");
  await pty.close();
});
