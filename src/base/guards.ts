/** Tests and parsers for values from outside. */

export const isRecord = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Wraps a thrown value that is not an error. */
export const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** The code of a system error, such as "ENOENT"; empty for other errors. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/**
 * Parses JSON as people write it by hand, with comments and trailing commas; undefined when it is
 * invalid.
 */
export function parseJsonc(text: string): unknown {
  return attempt(() => Bun.JSONC.parse(text.replace(/^\u{feff}/u, "")), undefined);
}

/** Parses JSON; undefined when it is invalid or nested too deeply. */
export function parseJson(text: string): unknown {
  return attempt(() => JSON.parse(text), undefined);
}

/** Levels of JSON that no model needs and that recursive code would not survive. */
const maxLevels = 100;

/** Whether a parsed value is nested in more than `most` lists or objects. Does not recurse. */
export function isTooDeep(value: unknown, most = maxLevels): boolean {
  let level = pickObjects([value]);
  for (let depth = 0; depth < most && level.length > 0; depth += 1)
    level = level.flatMap((item) => pickObjects(Array.isArray(item) ? item : Object.values(item)));
  return level.length > 0;
}

const pickObjects = (values: unknown[]): object[] =>
  values.filter((value) => typeof value === "object" && value !== null);

/** The result of `take`, or `otherwise` if it throws. */
export function attempt<T, Otherwise>(take: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return take();
  } catch {
    return otherwise;
  }
}
