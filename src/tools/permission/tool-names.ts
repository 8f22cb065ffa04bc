/** Names of the tools as rules use them. */
const ruleNames: ReadonlyMap<string, string> = new Map([
  ["bash", "Bash"],
  ["read_file", "Read"],
  ["write_file", "Write"],
  ["edit_file", "Edit"],
  ["glob", "Glob"],
  ["grep", "Grep"],
]);

export const ruleNameOf = (tool: string): string => ruleNames.get(tool) ?? tool;

/** A rule for the first covers the others, too. */
export const families: ReadonlyMap<string, readonly string[]> = new Map([
  ["Edit", ["Write"]],
  ["Read", ["Glob", "Grep"]],
]);

export const readTool = "Read";
