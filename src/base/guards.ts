/** Tests and parsers for values from outside. */

export const isRecord = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What was thrown, which may be anything, as an error. */
export const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** The code of a system error, such as "ENOENT"; empty for other errors. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/**
 * What a text holds as JSON that people write by hand, with comments and trailing commas; undefined
 * when it is not that.
 */
export function parseJsonc(text: string): unknown {
  return attempt(() => Bun.JSONC.parse(text.replace(/^\u{feff}/u, "")), undefined);
}

/** What a text holds as JSON; undefined when it is not JSON or is nested too deeply to be parsed. */
export function parseJson(text: string): unknown {
  return attempt(() => JSON.parse(text), undefined);
}

/** Levels of JSON that no model needs and that recursive code would not survive. */
const maxLevels = 100;

/** Whether a parsed value is nested in more than `most` lists or objects. Does not recurse. */
export function isTooDeep(value: unknown, most = maxLevels): boolean {
  let level = objectsIn([value]);
  for (let depth = 0; depth < most && level.length > 0; depth += 1)
    level = level.flatMap((item) => objectsIn(Array.isArray(item) ? item : Object.values(item)));
  return level.length > 0;
}

const objectsIn = (values: unknown[]): object[] =>
  values.filter((value) => typeof value === "object" && value !== null);

/** The result of `take`, or `otherwise` if it throws, whatever the reason. */
export function attempt<T, Otherwise>(take: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return take();
  } catch {
    return otherwise;
  }
}
