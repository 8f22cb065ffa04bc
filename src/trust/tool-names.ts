/** A rule for the first covers the others, too. */
export const families: ReadonlyMap<string, readonly string[]> = new Map([
  ["Edit", ["Write"]],
  ["Read", ["Glob", "Grep"]],
]);

/** Other agents call these tools by another name: a rule with that name must hold, too. */
export const otherNames: ReadonlyMap<string, string> = new Map([["Task", "Agent"]]);

export const readTool = "Read";

export const fetchTool = "WebFetch";
