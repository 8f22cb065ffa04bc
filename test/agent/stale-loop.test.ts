/** A long loop on a server that takes no betas, and so cannot drop thinking that a cut made stale. */

import { expect, test } from "bun:test";
import { call, FakeApi, say, think } from "../fake-api/index.ts";
import { goodSummary } from "./compaction/harness.ts";
import { fakeAgent } from "./fake-agent.ts";
import { of, prompt } from "./harness.ts";
import { ScriptedToolbox } from "./scripted.ts";

const windowTokens = 12_000;

test.each([true, false])(
  "one prompt of 80 calls has no request refused, with the Models API %p",
  async (modelsApi) => {
    let asked = 0;
    const fake = new FakeApi({
      model: { windowTokens },
      modelsApi,
      responder: ({ messages }) => {
        if (JSON.stringify(messages.at(-1)).includes("<analysis>")) return say(goodSummary());
        if (++asked > 80) return say("All read.");
        return say("", {
          content: [think(`thought ${asked}`), call("read", { path: `${asked}` })],
        });
      },
    });
    const { log, rules, send, end } = await fakeAgent({
      api: fake,
      rules: { windowTokens },
      toolbox: new ScriptedToolbox(async () => "some words ".repeat(180)),
      tools: ["read"],
      wrap: (client) => ({
        ...client,
        rules: async (model) => ({ ...(await client.rules(model)), windowTokens }),
      }),
    });
    expect(rules.refusesStaleThinking).toBe(modelsApi ? undefined : true);
    const idle = await send(prompt("Read them all."));
    await end();
    expect(fake.refusals.filter((one) => one !== "Not Found")).toEqual([]);
    expect(idle).toEqual({ type: "idle", why: "done" });
    expect(of(log.path, "cut").length).toBeGreaterThan(2);
  },
);
