/** The border of the log: what a line must be to become an entry. */

import { z } from "zod";
import type { Entry } from "../protocol/entry.ts";
import { known } from "./facts.ts";

/** The version that this program writes. A log of a later one is opened for reading only. */
export const logVersion = 1;

const base = z.looseObject({
  id: z.string().min(1),
  parent: z.string().nullable(),
  at: z.string(),
  type: z.string(),
});

export type Parsed = { entry: Entry } | { problem: string };

/**
 * One line. A type that we do not know becomes an `unknown` entry with all that it holds; a line
 * that is no entry at all is a problem in words.
 */
export function parseLine(line: string): Parsed {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { problem: "is not valid JSON" };
  }
  const head = base.safeParse(json);
  if (!head.success) return { problem: "is not an entry" };
  const { id, parent, at, type } = head.data;
  const schema = known.get(type);
  if (!schema) return { entry: { id, parent, at, type: "unknown", raw: head.data } };
  const fact = schema.safeParse(json);
  if (!fact.success) {
    const issue = fact.error.issues[0];
    return { problem: `is a damaged ${type} entry (${issue?.path.join(".")}: ${issue?.message})` };
  }
  return { entry: { ...fact.data, id, parent, at } };
}

/** The line of an entry, with its newline. What a later version wrote goes out as it came in. */
export function formatEntry(entry: Entry): string {
  return `${JSON.stringify(entry.type === "unknown" ? entry.raw : entry)}\n`;
}
