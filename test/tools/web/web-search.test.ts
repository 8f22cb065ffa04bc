import { afterAll, expect, test } from "bun:test";
import type { PermissionMode } from "../../../src/protocol/permission.ts";
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

const roomWith = (search: WebSearcher, more: { mode?: PermissionMode; deny?: string[] } = {}) =>
  room({
    session: { ...emptySession, search },
    mode: more.mode ?? "default",
    rules: { allow: [], ask: [], deny: more.deny ?? [] },
  });

test("a search says what was found, and what it cost", async () => {
  const asked: unknown[] = [];
  const at = await roomWith(async (search) => {
    asked.push(search);
    return found;
  });
  const input = { query: "what is new", blocked_domains: ["spam.example"], allowed_domains: [] };
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
  const none = { results: [], text: "", spent };
  const failing = await roomWith(async () => ({ ...none, error: "unavailable" }));
  expect(await failing.run("WebSearch", { query: "xy" })).toMatchObject({
    isError: true,
    content: [{ text: "A search failed: unavailable." }],
    spent,
  });
  const empty = await roomWith(async () => ({ ...none, error: null }));
  expect(await empty.say("WebSearch", { query: "xy" })).toBe("Nothing was found.");
  const broken = await roomWith(() => Promise.reject(new Error("The key was refused.")));
  expect(await broken.say("WebSearch", { query: "xy" })).toBe("The key was refused.");
  const both = { query: "xy", allowed_domains: ["a.example"], blocked_domains: ["b.example"] };
  expect(await broken.say("WebSearch", both)).toContain("not both");
});

test("a search needs approval, in plan mode too, and a rule can allow or deny it", async () => {
  const search: WebSearcher = async () => found;
  const call = { query: "xy" };
  for (const mode of ["default", "accept-edits", "plan"] as const)
    expect((await (await roomWith(search, { mode })).review("WebSearch", call)).verdict).toBe(
      "ask",
    );
  const free = await roomWith(search, { mode: "bypass" });
  expect((await free.review("WebSearch", call)).verdict).toBe("allow");
  const denied = await roomWith(search, { deny: ["WebSearch"] });
  expect(denied.box.definitions.map(({ name }) => name)).not.toContain("WebSearch");
});
