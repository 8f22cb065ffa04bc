import { z } from "zod";
import { factSchemas, type Fact } from "../../../../src/protocol/entry.ts";
import { blockText } from "../../../../src/protocol/block.ts";

const line = z.object({ type: z.literal("entry"), entry: z.looseObject({ type: z.string() }) });

/** The entries among a run's events, one per line. */
export function listEntries(events: string): string[] {
  return events.split("\n").flatMap((json) => {
    const event = line.safeParse(json === "" ? null : JSON.parse(json));
    const fact = event.success
      ? factSchemas.get(event.data.entry.type)?.safeParse(event.data.entry)
      : null;
    return fact?.success ? describe(fact.data) : [];
  });
}

function describe(fact: Fact): string[] {
  switch (fact.type) {
    case "assistant": {
      const { input, cacheRead, cacheWrite } = fact.usage;
      return [`  request: ${cacheRead} read from the cache, ${cacheWrite + input} new`];
    }
    case "result": {
      const loaded = fact.loads ? `${fact.loads.length} tools loaded` : blockText(fact.content);
      const words = loaded.replace(/\s+/g, " ").slice(0, 70);
      return [`    ${fact.tool}${fact.isError ? " (error)" : ""}: ${words}`];
    }
    case "context":
      return fact.kind === "tools" || fact.kind === "attachment"
        ? [`    ${fact.title}: ${blockText(fact.content).replace(/\s+/g, " ").slice(0, 70)}`]
        : [];
    default:
      return [];
  }
}
