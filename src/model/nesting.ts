/** Levels of JSON that no model needs and that recursive code would not survive. */
const maxLevels = 100;

/** Whether a parsed value is nested more deeply than `maxLevels`. Does not recurse. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= maxLevels; depth += 1) {
    level = level.flatMap((item) =>
      typeof item === "object" && item !== null ? Object.values(item) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}
