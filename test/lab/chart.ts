/** The size of the context over the calls of a session, and where it was cut. */

import type { TierName } from "../../src/protocol/entry.ts";
import { splitColumns, type ReplayResult } from "./replay-result.ts";

const steps = "▁▂▃▄▅▆▇█";
const marks: Partial<Record<TierName, string>> = {
  summary: "S",
  microcompact: "m",
  snip: "s",
  budget: "b",
};

export function chart(
  { session, used, events }: ReplayResult,
  policy: string,
  window: number,
): string {
  const most = Math.max(1, ...used);
  let bars = "";
  let cuts = "";
  for (const { from, to } of splitColumns(used.length, 80)) {
    const largest = Math.max(0, ...used.slice(from, to));
    bars += steps.charAt(Math.floor((largest / most) * (steps.length - 1)));
    const here = events.filter(({ call }) => call >= from && call < to);
    const tier = here.some((event) => event.tier === "summary") ? "summary" : here.at(-1)?.tier;
    cuts += tier ? (marks[tier] ?? "c") : " ";
  }
  const share = Math.round((most / window) * 100);
  const peak = `peak ${most.toLocaleString("en")} tokens, ${share} % of the window`;
  const title = `${session}, ${policy}: ${used.length} calls, ${peak}`;
  return `${[title, bars, cuts.trimEnd(), ...events.map(why)].join("\n")}\n`;
}

/** Which tier cut, when, what it removed, and why. */
function why({
  call,
  tier,
  usedBefore,
  usedAfter,
  reason,
}: ReplayResult["events"][number]): string {
  const tokens = (count: number): string => count.toLocaleString("en").padStart(9);
  return `  call ${String(call).padStart(4)}  ${tier.padEnd(12)} ${tokens(usedBefore)} ->${tokens(usedAfter)}  ${reason}`;
}
