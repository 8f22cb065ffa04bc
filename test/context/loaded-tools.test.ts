/** Tools that a result loads in the middle of a session. */

import { expect, test } from "bun:test";
import { buildRequest } from "../../src/context/request.ts";
import { measure } from "../../src/context/meter/meter.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import type { ToolDefinition } from "../../src/protocol/model.ts";
import { begin, Builder, rules, say } from "./build.ts";

const tool = (name: string, description = "Does it."): ToolDefinition => ({
  name,
  description,
  input_schema: { type: "object" },
});

const request = ({ view }: Builder) => buildRequest(view, rules, defaultPolicy);

function searched(...loads: ToolDefinition[]): Builder {
  const session = begin("go");
  session.step("s1", "Loaded.", { tool: "ToolSearch", loads });
  return session;
}

test("a loaded tool comes after those of the session, once", () => {
  const session = searched(tool("a"), tool("Read"));
  expect(request(session).loadedTools).toEqual([tool("a")]);
  session.step("s2", "Loaded.", { loads: [tool("b"), tool("a", "Changed.")] });
  const { tools, loadedTools } = request(session);
  expect(tools.map(({ name }) => name)).toEqual(["Read", "Recall"]);
  expect(loadedTools).toEqual([tool("a"), tool("b")]);
});

test("a summary that covers the search, or a cut of its result, takes the tools with it", () => {
  const [covered, dropped] = [searched(tool("a")), searched(tool("a"))];
  covered.answer([say("Done.")]);
  covered.cover("e2", "e4");
  dropped.cut([{ kind: "replace", entry: "e4", text: "[dropped]" }]);
  for (const session of [covered, dropped]) {
    session.user("More.");
    expect(request(session).loadedTools).toBeUndefined();
  }
});

test("the meter counts the definitions as tools", () => {
  const without = measure(searched().view, rules, defaultPolicy, 0);
  const loaded = searched(tool("a", "x".repeat(3_000)));
  const reading = measure(loaded.view, rules, defaultPolicy, 0);
  expect(reading.breakdown.tools - without.breakdown.tools).toBeGreaterThan(600);
  expect(reading.usedTokens - without.usedTokens).toBeGreaterThan(600);
});
