import type { Ask } from "../src/protocol/event.ts";

/** The agent's question about a shell command. */
export const askAbout = (command: string, more: Partial<Ask> = {}): Ask => ({
  id: "t1",
  toolUse: "t1",
  tool: "Bash",
  input: { command },
  title: `run ${command}`,
  detail: command,
  detailKind: "command",
  rule: null,
  ...more,
});
