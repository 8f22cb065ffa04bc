/** Tool families: a rule for the first also covers the others. */
export const families: ReadonlyMap<string, readonly string[]> = new Map([
  ["Edit", ["Write"]],
  ["Read", ["Glob", "Grep"]],
]);

/** Names of these tools in other agents; rules may use either. */
export const otherNames: ReadonlyMap<string, string> = new Map([["Task", "Agent"]]);

export const readTool = "Read";

export const fetchTool = "WebFetch";
