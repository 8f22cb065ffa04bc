/** The border of the log: what a line must be to become an entry. */

import { z } from "zod";
import type { Entry, Fact } from "../protocol/entry.ts";
import { entrySchemas } from "./entry-schemas.ts";
import { schemaGuard } from "./schema-guard.ts";

/** The version that this program writes. A log of a later one is opened for reading only. */
export const logVersion = 1;

const base = z.looseObject({
  id: z.string().min(1),
  parent: z.string().nullable(),
  at: z.string(),
  type: z.string(),
});

type Base = z.infer<typeof base>;

const isBase = schemaGuard(base);
const guards = new Map([...entrySchemas].map(([type, schema]) => [type, schemaGuard(schema)]));

/** `problem` beside an entry: its type is known, but it is damaged, so that it counts as unknown. */
export type Parsed = { entry: Entry; problem?: string } | { entry: null; problem: string };

/**
 * One line. What is an entry, but of a type that we do not know or damaged, becomes an `unknown`
 * one with all that it holds, so that its children keep their parent. The value is what JSON gave,
 * not a copy: fields that we do not know stay, and so does the order of keys.
 */
export function parseLine(line: string): Parsed {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { entry: null, problem: "is not valid JSON" };
  }
  if (!isBase(json) || json.id === "") return { entry: null, problem: "is not an entry" };
  const guard = guards.get(json.type);
  if (guard === undefined) return { entry: unknownOf(json) };
  if (isEntry(json, guard)) return { entry: json };
  const issue = entrySchemas.get(json.type)?.safeParse(json).error?.issues[0];
  const where = issue === undefined ? "" : ` (${issue.path.join(".")}: ${issue.message})`;
  return { entry: unknownOf(json), problem: `is a damaged ${json.type} entry${where}` };
}

const isEntry = (json: Base, guard: (value: unknown) => value is Fact): json is Base & Entry =>
  guard(json);

const unknownOf = (raw: Base): Entry => {
  const { id, parent, at } = raw;
  return { id, parent, at, type: "unknown", raw };
};

/** A fact at its place. */
export const placed = (fact: Fact, place: Pick<Base, "id" | "parent" | "at">): Entry =>
  fact.type === "unknown"
    ? { ...place, type: "unknown", raw: { ...fact.raw, ...place } }
    : { ...place, ...fact };

/** The line of an entry, with its newline. What a later version wrote goes out as it came in. */
export function formatEntry(entry: Entry): string {
  return `${JSON.stringify(entry.type === "unknown" ? entry.raw : entry)}\n`;
}
