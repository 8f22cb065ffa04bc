import { expect, test } from "bun:test";
import { Builder } from "../context/build.ts";
import { stage } from "./stage.ts";

test("before the first call, the meter estimates system prompt and tools", async () => {
  const system = "You are a coding agent. ".repeat(400);
  const [session] = new Builder({ system, tools: [] }).path;
  const on = stage(new Builder(), { isEmpty: true });
  const { usedTokens, errorTokens } = on.store.reading;
  expect(usedTokens).toBeGreaterThan(1_000);
  expect(errorTokens).toBeGreaterThan(0);
  if (session) await on.tell({ type: "entry", entry: session });
  expect(on.store.reading.usedTokens).toBe(usedTokens);
  expect(on.store.view.rows.map(({ entry }) => entry.id)).toEqual(["e1"]);
});
