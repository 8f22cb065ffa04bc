/** What sessions were billed, read from their logs. */

import { open } from "node:fs/promises";
import { billedFor } from "../protocol/billed.ts";
import type { Entry } from "../protocol/entry.ts";
import { usedBy, type Usage } from "../protocol/model.ts";
import { parseLine } from "./parse.ts";

/** A call. */
export type Billed = { atMs: number; model: string; usage: Usage };

/** Lines that can say what was billed, or which model. Most of a log is results, which are skipped. */
const telling = /"usage":\{|"type":"(?:session|model)"/;

/** The calls of a session; none of an imported one, which another agent paid for. */
export async function* billedIn(file: string): AsyncGenerator<Billed> {
  const log = await open(file);
  let model = "";
  try {
    for await (const line of log.readLines()) {
      if (!telling.test(line)) continue;
      const { entry } = parseLine(line);
      if (!entry) continue;
      if (entry.type === "session" && entry.imported) return;
      model = modelOf(entry) ?? model;
      const usage = billedFor(entry);
      if (usage && usedBy(usage) > 0) yield { atMs: Date.parse(entry.at), model, usage };
      // What a subagent cost is in its own session.
      if ("spent" in entry && entry.spent)
        yield {
          atMs: Date.parse(entry.at),
          model: entry.spent.model,
          usage: entry.spent.usage,
        };
    }
  } finally {
    await log.close();
  }
}

const modelOf = (entry: Entry): string | undefined =>
  entry.type === "session" || entry.type === "model" || entry.type === "assistant"
    ? entry.model
    : undefined;
