/** A rule for the first covers the others, too. */
export const families: ReadonlyMap<string, readonly string[]> = new Map([
  ["Edit", ["Write"]],
  ["Read", ["Glob", "Grep"]],
]);

/** Names of other agents for tools of ours: a rule about one must hold. */
export const otherNames: ReadonlyMap<string, string> = new Map([["Task", "Agent"]]);

export const readTool = "Read";
