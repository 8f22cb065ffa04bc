/** `mini-claude auth status`, as clients of Claude Code run it. */

import { afterAll, expect, test } from "bun:test";
import { sandbox } from "../../bin.ts";
import { inProcess } from "../../in-process.ts";

const box = inProcess(await sandbox("auth"));
afterAll(box.remove);

test.each([
  [{}, 0, { loggedIn: true, authMethod: "none", apiProvider: "gateway" }],
  [
    { ANTHROPIC_API_KEY: "sk-ant-test" },
    0,
    {
      loggedIn: true,
      authMethod: "api_key",
      apiProvider: "firstParty",
      apiKeySource: "ANTHROPIC_API_KEY",
    },
  ],
  [
    { MINI_CLAUDE_PROVIDER: "anthropic" },
    1,
    { loggedIn: false, authMethod: "none", apiProvider: "firstParty" },
  ],
  [
    { ANTHROPIC_BASE_URL: "http://localhost:1" },
    0,
    { loggedIn: true, authMethod: "none", apiProvider: "firstParty" },
  ],
])("%j", async (env, code, status) => {
  const run = await box.run(["auth", "status", "--json"], { env });
  expect({ code: run.code, status: JSON.parse(run.out) }).toEqual({ code, status });
  expect(run.out).not.toContain("sk-ant");
});

test.each<[env: Record<string, string>, said: string]>([
  [{ MINI_CLAUDE_PROVIDER: "groq", GROQ_API_KEY: "k" }, "The key for groq is in GROQ_API_KEY."],
  [{ MINI_CLAUDE_PROVIDER: "groq" }, "There is no key for groq."],
  [
    { OPENAI_BASE_URL: "http://localhost:1" },
    "There is no key for openai; its server may need none.",
  ],
  [{}, "The offline model is in use; it needs no key."],
  [
    { MINI_CLAUDE_PROVIDER: "vertex" },
    "Calls go to vertex, with the credentials that its own programs use.",
  ],
])("%o: %s", async (env, said) => {
  expect((await box.run(["auth", "status"], { env })).out).toBe(`${said}\n`);
});
