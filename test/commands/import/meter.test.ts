import { expect, test } from "bun:test";
import { measure } from "../../../src/context/meter/meter.ts";
import { project } from "../../../src/context/view/view.ts";
import { lookUpRules } from "../../../src/model/catalog.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { call, ClaudeSession, text } from "./claude-lines.ts";
import { imported, findPath } from "./read.ts";

const rules = lookUpRules("claude-sonnet-5-5");
const readMeter = (path: readonly Entry[]) => measure(project(path), rules, defaultPolicy, 0);

/**
 * Twenty results of 3,000 tokens each, in addition to the 30,000 tokens of the other agent's
 * prompt.
 */
function held(): Entry[] {
  const session = new ClaudeSession();
  session.user("read them all");
  const counted = (read: number) => ({
    input_tokens: 5,
    cache_read_input_tokens: 30_000 + read * 3_000,
    cache_creation_input_tokens: 0,
    output_tokens: 100,
  });
  for (let number = 0; number <= 20; number++) {
    const block = number === 20 ? text("done") : call(`t${number}`, "Read", { path: `f${number}` });
    session.answer(`m${number}`, [block]);
    const message = session.lines.at(-1)?.["message"];
    if (typeof message === "object" && message) Object.assign(message, { usage: counted(number) });
    if (number < 20) session.result(`t${number}`, `${number} `.repeat(4_000));
  }
  return imported(session.text);
}

test("the meter shows what would be sent, not the size of the other agent's prompt", () => {
  const path = findPath(held());
  const { usedTokens, errorTokens, breakdown } = readMeter(path);
  expect(usedTokens).toBeGreaterThan(60_000);
  expect(usedTokens).toBeLessThan(64_000);
  expect(errorTokens).toBeGreaterThan(1_000);
  expect(breakdown.system).toBeLessThan(500);
});
