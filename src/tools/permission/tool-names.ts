/** A rule for the first covers the others, too. */
export const families: ReadonlyMap<string, readonly string[]> = new Map([
  ["Edit", ["Write"]],
  ["Read", ["Glob", "Grep"]],
]);

export const readTool = "Read";
