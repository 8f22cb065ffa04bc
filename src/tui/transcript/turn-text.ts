/** What a turn took, in one line. Pure. */

import { counted } from "../../protocol/in-words.ts";
import { costOf, sentBy, type Prices } from "../../protocol/model.ts";
import type { TurnTotals } from "../items.ts";
import { showDuration, showTokens, showUsd } from "./format.ts";

/**
 * "14.2 s · 5 tool calls · 6.1k tokens read (5.8k from cache), 412 written · $0.0080"; where that is too
 * wide, without the share of the cache, then without telling read from written.
 */
export function turnText(
  { ms, toolCalls, usages, subagents, elsewhereUsd }: TurnTotals,
  prices: Prices,
  width = Infinity,
): string {
  let [read, cached, written, usd] = [0, 0, 0, elsewhereUsd];
  for (const usage of usages) {
    read += sentBy(usage);
    cached += usage.cacheRead;
    written += usage.output;
    usd += costOf(usage, prices);
  }
  const fromCache = cached === 0 ? "" : ` (${showTokens(cached)} from cache)`;
  const calls = counted(toolCalls, "tool call");
  const line = (tokens: string): string =>
    [
      showDuration(ms),
      toolCalls === 0 ? "" : calls,
      subagents.length === 0 ? "" : counted(subagents.length, "subagent"),
      tokens,
      usd === 0 ? "" : showUsd(usd),
    ]
      .filter((part) => part !== "")
      .join(" · ");
  const forms = [
    `${showTokens(read)} tokens read${fromCache}, ${showTokens(written)} written`,
    `${showTokens(read)} tokens read, ${showTokens(written)} written`,
    `${showTokens(read + written)} tokens`,
  ].map(line);
  return forms.find((form) => form.length <= width) ?? forms.at(-1) ?? "";
}
