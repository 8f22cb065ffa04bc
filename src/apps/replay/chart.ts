/** The size of the context over the calls of a session, and where it was cut. */

import type { ReplayResult } from "./replay-result.ts";

const steps = "▁▂▃▄▅▆▇█";
const marks: Record<string, string> = { summary: "S", microcompact: "m", snip: "s", budget: "b" };

const maxColumns = 80;

export function chart({ session, policy, used, events }: ReplayResult, window: number): string {
  const columns = Math.max(1, Math.min(maxColumns, used.length));
  const callAt = (column: number): number => Math.floor((column * used.length) / columns);
  const most = Math.max(1, ...used);
  let bars = "";
  let cuts = "";
  for (let column = 0; column < columns; column++) {
    const part = used.slice(callAt(column), Math.max(callAt(column) + 1, callAt(column + 1)));
    const height = Math.floor((Math.max(0, ...part) / most) * (steps.length - 1));
    bars += steps[height] ?? " ";
    const here = events.filter(
      ({ call }) =>
        call >= callAt(column) && call < Math.max(callAt(column) + 1, callAt(column + 1)),
    );
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
