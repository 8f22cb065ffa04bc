import { expect, test } from "bun:test";
import { askWith, searchThrough } from "../../src/run/model.ts";
import type { ModelClient, WebSearch } from "../../src/model/client.ts";
import { rules, ScriptedModel } from "../agent/scripted.ts";

const { signal } = new AbortController();
const text = (words: string) => ({ type: "text" as const, text: words });

test("a question is asked once, without tools, of the model that it names", async () => {
  const client = new ScriptedModel({ blocks: [text("Yes,"), text(" it is.")] }, {});
  const ask = askWith(client, (asked = "usual") => `the ${asked}`);
  const answer = await ask({ system: "Judge.", text: "Is it?", model: "small" }, signal);
  expect(answer).toEqual({
    text: "Yes, it is.",
    spent: {
      model: "the small",
      usage: { input: 100, cacheRead: 0, cacheWrite: 0, output: 10 },
      usd: (100 * rules.prices.input + 10 * rules.prices.output) / 1e6,
    },
  });
  expect(client.requests).toEqual([
    {
      model: "the small",
      system: [text("Judge.")],
      tools: [],
      messages: [{ role: "user", content: [text("Is it?")] }],
      maxTokens: 4_000,
      thinking: "off",
      dropStaleThinking: false,
      purpose: "turn",
    },
  ]);
  expect((await ask({ system: "Judge.", text: "Is it?" }, signal)).spent.model).toBe("the usual");
});

test("a model with a smaller output limit is asked for less", async () => {
  class Small extends ScriptedModel {
    override rules = async (model: string) => ({ ...rules, model, outputTokens: 900 });
  }
  const client = new Small({});
  await askWith(client, () => "m")({ system: "", text: "" }, signal);
  expect(client.requests[0]?.maxTokens).toBe(900);
});

test("a search is priced by the model that made it; a server that cannot search offers none", async () => {
  const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 10, webSearches: 2 };
  const found = { results: [], text: "Nothing.", error: null };
  const asked: WebSearch[] = [];
  const client: ModelClient = Object.assign(new ScriptedModel(), {
    async searchWeb(search: WebSearch) {
      asked.push(search);
      return { ...found, model: "searcher", usage };
    },
  });
  const answer = await searchThrough(client)?.({ query: "tides" }, signal);
  expect(answer).toMatchObject({ ...found, spent: { model: "searcher", usage } });
  expect(answer?.spent.usd).toBeGreaterThan(0);
  expect(asked).toEqual([{ query: "tides" }]);
  expect(searchThrough(new ScriptedModel())).toBeNull();
});
