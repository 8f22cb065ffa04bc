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
])("%j", async (env, code, status) => {
  const run = await box.run(["auth", "status", "--json"], { env });
  expect({ code: run.code, status: JSON.parse(run.out) }).toEqual({ code, status });
  expect(run.out).not.toContain("sk-ant");
});

test("in words; and a prompt may begin with the word", async () => {
  const { out } = await box.run(["auth", "status"], { env: { ANTHROPIC_API_KEY: "sk-ant-test" } });
  expect(out).toBe("The key for anthropic is in ANTHROPIC_API_KEY.\n");
  expect((await box.run(["-p", "auth", "is", "what?"])).code).toBe(0);
});
