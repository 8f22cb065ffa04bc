/** `mcp__SERVER__TOOL`: the names of servers' tools, as models, rules and hooks know them. */

/** The longest name that all APIs accept. */
const maxChars = 64;

/** The same for the same tool, always. A long name keeps its start and ends in a hash. */
export function toolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  if (name.length <= maxChars) return name;
  const hash = Bun.CryptoHasher.hash("sha256", `${server} ${tool}`, "hex");
  return `${name.slice(0, maxChars - 9)}_${hash.slice(0, 8)}`;
}

/** The server that a tool's name belongs to; null: it is not a server's. */
export function serverOf(name: string): string | null {
  return /^mcp__((?:(?!__).)+)__./.exec(name)?.[1] ?? null;
}
