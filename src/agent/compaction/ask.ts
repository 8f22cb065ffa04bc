import type { Plan } from "../../context/types.ts";
import type { Ask } from "../../protocol/event.ts";
import type { Session } from "../session.ts";

/** The question before a summary that would come by itself, with what it is expected to do. */
export function askToCompact({ price }: Plan, { reading, log }: Session): Ask {
  const tokens = (count: number): string => Math.round(count).toLocaleString("en-US");
  const { usedBefore, usedAfter, usd, breakEvenCalls } = price;
  const pays = breakEvenCalls === null ? "" : `, and pays after ${breakEvenCalls} calls`;
  return {
    id: `compact-${log.path.length}`,
    toolUse: "",
    tool: "compact",
    title: `Summarise the conversation? The context is ${Math.round(reading.utilisation * 100)} % full`,
    detail: [
      `About ${tokens(usedBefore)} tokens become about ${tokens(usedAfter)}; that costs about $${usd.toFixed(2)}${pays}.`,
      "Without it the conversation goes on as it is until the next request would not fit.",
    ].join("\n"),
    detailKind: "text",
    rule: "summarise when it is due",
  };
}
