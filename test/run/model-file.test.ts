/** Models of the user's file, each at its own server, in one session. */

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openModel } from "../../src/run/model.ts";
import { pathsFor } from "../../src/config/paths.ts";
import { defaultSettings } from "../../src/config/settings.ts";
import { createLog } from "../../src/log/store.ts";
import { buildRequest, run } from "../model/calls.ts";
import { finish, saying, startFakeOpenAi } from "../model/fake-openai.ts";

const home = mkdtempSync(join(tmpdir(), "model-file-"));
const usual = startFakeOpenAi({});
const lab = startFakeOpenAi({});
afterAll(async () => {
  await Promise.all([usual.stop(), lab.stop()]);
  rmSync(home, { recursive: true });
});

/** A session that starts with this model. */
function open(requestedModel: string) {
  const env = {
    MINI_CLAUDE_HOME: home,
    HOME: home,
    OPENAI_API_KEY: "sk-usual",
    MINI_CLAUDE_LAB_KEY: "sk-lab",
  };
  const entry = {
    id: "lab-1",
    baseUrl: lab.url,
    keyName: "MINI_CLAUDE_LAB_KEY",
    windowTokens: 77_000,
    prices: { input: 3, output: 9 },
  };
  writeFileSync(join(home, "models.json"), JSON.stringify({ models: { lab: entry } }));
  const paths = pathsFor(env, home);
  return openModel({
    settings: { ...defaultSettings, provider: "openai", baseUrl: usual.url, model: "usual" },
    env,
    paths,
    requestedModel,
    log: createLog(paths.projectSessions),
    debugLog: undefined,
  });
}

const answer = { chunks: [saying("ok"), finish("stop")] };

test("each model is called at its own server, with that server's key, from whichever the session starts", async () => {
  for (const start of ["lab", "usual"]) {
    const model = await open(start);
    lab.next(answer);
    usual.next(answer);
    for (const name of ["lab", "usual"])
      expect(
        (await run(model.client, buildRequest({ model: model.nameOf(name) }))).error,
      ).toBeNull();
    expect(lab.requests.at(-1)?.model).toBe("lab-1");
    expect(lab.headers.at(-1)?.get("authorization")).toBe("Bearer sk-lab");
    expect(usual.requests.at(-1)?.model).toBe("usual");
    expect(usual.headers.at(-1)?.get("authorization")).toBe("Bearer sk-usual");
  }
});

test("the limits and prices of the file are those of the model", async () => {
  const model = await open("lab");
  expect(model.name).toBe("lab-1");
  expect(model.rules).toMatchObject({ windowTokens: 77_000, prices: { input: 3, output: 9 } });
  expect((await model.client.rules("usual")).windowTokens).not.toBe(77_000);
  expect(await model.client.models()).toContain("lab");
});
