import { afterAll, expect, test } from "bun:test";
import { blockText } from "../../../src/protocol/block.ts";
import type { ToolboxOptions } from "../../../src/tools/toolbox.ts";
import { emptySession, leave, room } from "../room.ts";

afterAll(leave);

type WebSearcher = NonNullable<NonNullable<ToolboxOptions["session"]>["search"]>;

const spent = {
  model: "small",
  usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, webSearches: 1 },
  usd: 0.011,
};

const found: Awaited<ReturnType<WebSearcher>> = {
  results: [
    { url: "https://a.example", title: "A", age: "2 days ago" },
    { url: "https://b.example", title: "B", age: null },
  ],
  text: "A is new.",
  error: null,
  spent,
};

const roomWith = (search: WebSearcher) => room({ session: { ...emptySession, search } });

test("a search is asked about, and says what was found, and what it cost", async () => {
  const asked: unknown[] = [];
  const at = await roomWith(async (search) => {
    asked.push(search);
    return found;
  });
  const input = { query: "what is new", blocked_domains: ["spam.example"], allowed_domains: [] };
  for (const [more, detail] of [
    [input, "what is new\nwithout spam.example"],
    [{ query: "xy", allowed_domains: ["a.example", "b.example"] }, "xy\nonly a.example, b.example"],
  ] as const)
    expect(await at.review("WebSearch", { ...more })).toMatchObject({
      verdict: "ask",
      ask: { detail },
    });
  expect(await at.run("WebSearch", input)).toMatchObject({
    content: [
      {
        text: "2 results:\n- A https://a.example (2 days ago)\n- B https://b.example\n\nA is new.",
      },
    ],
    spent,
  });
  expect(asked).toEqual([{ query: "what is new", blocked_domains: ["spam.example"] }]);
});

test("a failed search is an error result", async () => {
  const searched = async (more: Partial<typeof found>) =>
    (await roomWith(async () => ({ ...found, ...more }))).run("WebSearch", { query: "xy" });
  const none = { results: [], text: "" };
  expect(await searched({ ...none, error: "unavailable" })).toMatchObject({
    isError: true,
    content: [{ text: "A search failed: unavailable." }],
    spent,
  });
  const partly = await searched({ error: "busy" });
  expect(partly.isError).toBeUndefined();
  expect(blockText(partly.content)).toStartWith("A search failed: busy.\n2 results:");
  expect(blockText((await searched(none)).content)).toBe("Nothing was found.");
  const broken = await roomWith(() => Promise.reject(new Error("The key was refused.")));
  expect(await broken.say("WebSearch", { query: "xy" })).toBe("The key was refused.");
  const both = { query: "xy", allowed_domains: ["a.example"], blocked_domains: ["b.example"] };
  expect(await broken.say("WebSearch", both)).toContain("not both");
});
