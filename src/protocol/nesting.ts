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
