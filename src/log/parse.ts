/** Validates lines of a log. Data from disk is checked here and nowhere else. */

import { z } from "zod";
import type { Entry, Fact } from "../protocol/entry.ts";

/** The format version written. A log with a later version is opened read-only. */
export const logVersion = 2;

const base = z.looseObject({
  id: z.string(),
  parent: z.string().nullable(),
  at: z.string(),
  type: z.string(),
});

type Base = z.infer<typeof base>;

const isBase = (json: unknown): json is Base => base.safeParse(json).success;

/** Built for the first line that is read or written: an empty session is shown without them. */
const schemas = (): typeof import("../protocol/entry.ts") => require("../protocol/entry.ts");

/** An entry with a `problem` is of a known type but damaged; it is kept as unknown. */
type ParsedLine = { entry: Entry; problem?: string } | { entry: null; problem: string };

/**
 * Parses one line. An entry that is damaged or of an unknown type becomes an `unknown` entry with
 * all its data, so its children keep their parent. The value is not copied: unknown fields and the
 * order of keys are preserved.
 */
export function parseLine(line: string): ParsedLine {
  let json: unknown;
  try {
    // An editor may have put a byte order mark before the first line.
    json = JSON.parse(line.startsWith("\ufeff") ? line.slice(1) : line);
  } catch {
    return { entry: null, problem: "is not valid JSON" };
  }
  return parseValue(json);
}

function parseValue(json: unknown): ParsedLine {
  if (!isBase(json) || json.id === "") return { entry: null, problem: "is not an entry" };
  const schema = schemas().factSchemas.get(json.type);
  if (schema === undefined) return { entry: toUnknown(json) };
  if (isEntry(json, schema)) return { entry: json };
  const issue = schema.safeParse(json).error?.issues[0];
  const where = issue === undefined ? "" : ` (${issue.path.join(".")}: ${issue.message})`;
  return { entry: toUnknown(json), problem: `is a damaged ${json.type} entry${where}` };
}

/** The value itself is kept, not the schema's copy: a resumed session sends its keys in their order. */
const isEntry = (json: Base, schema: z.ZodType<Fact>): json is Base & Entry =>
  schema.safeParse(json).success;

const toUnknown = (raw: Base): Entry => {
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
