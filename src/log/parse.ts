/** Validates lines of a log: what is read from disk is checked here, and only here. */

import { z } from "zod";
import type { Entry, Fact } from "../protocol/entry.ts";
import { liftFact } from "./lift.ts";
import { schemaGuard } from "./schema-guard.ts";

/**
 * The format version written. A log with a later version is opened read-only; entries of version 1,
 * in which tools had other names, are converted as they are read.
 */
export const logVersion = 2;

const base = z.looseObject({
  id: z.string(),
  parent: z.string().nullable(),
  at: z.string(),
  type: z.string(),
});

type Base = z.infer<typeof base>;

const isBase = schemaGuard(base);

/** Built for the first line that is read or written: an empty session is shown without them. */
const schemas = (): typeof import("../protocol/entry.ts") => require("../protocol/entry.ts");
const schemaOf = (type: string) => schemas().factSchemas.get(type);

type Guard = (value: unknown) => value is Fact;
const guards = new Map<string, Guard>();

function guardOf(type: string): Guard | undefined {
  const known = guards.get(type);
  if (known) return known;
  const schema = schemaOf(type);
  const guard = schema && schemaGuard(schema);
  if (guard) guards.set(type, guard);
  return guard;
}

/** An entry with a `problem` is of a known type but damaged; it is kept as unknown. */
type ParsedLine = { entry: Entry; problem?: string } | { entry: null; problem: string };

/**
 * Parses one line. An entry that is damaged or of an unknown type becomes an `unknown` entry with
 * all its data, so its children keep their parent. The value is not copied: unknown fields and the
 * order of keys are preserved. Only outdated tool names are replaced.
 */
export function parseLine(line: string): ParsedLine {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { entry: null, problem: "is not valid JSON" };
  }
  return parseValue(json);
}

function parseValue(json: unknown): ParsedLine {
  if (!isBase(json) || json.id === "") return { entry: null, problem: "is not an entry" };
  const guard = guardOf(json.type);
  if (guard === undefined) return { entry: unknownOf(json) };
  if (isEntry(json, guard)) return { entry: liftFact(json) };
  const issue = schemaOf(json.type)?.safeParse(json).error?.issues[0];
  const where = issue === undefined ? "" : ` (${issue.path.join(".")}: ${issue.message})`;
  return { entry: unknownOf(json), problem: `is a damaged ${json.type} entry${where}` };
}

const isEntry = (json: Base, guard: Guard): json is Base & Entry => guard(json);

const unknownOf = (raw: Base): Entry => {
  const { id, parent, at } = raw;
  return { id, parent, at, type: "unknown", raw };
};

/** Turns a fact into an entry at a position of the log. */
export const entryAt = (fact: Fact, position: Pick<Base, "id" | "parent" | "at">): Entry =>
  fact.type === "unknown"
    ? { ...position, type: "unknown", raw: { ...fact.raw, ...position } }
    : { ...position, ...fact };

/** The line of an entry, newline included. Unknown entries are written back unchanged. */
export function formatEntry(entry: Entry): string {
  return `${JSON.stringify(entry.type === "unknown" ? entry.raw : entry)}\n`;
}
