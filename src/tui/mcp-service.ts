/** What the screen shows of MCP servers, and what the user can do with them. */

export type McpServerInfo = {
  name: string;
  /** Where it is configured. */
  scope: string;
  state: string;
  /** Its command or address. */
  where: string;
  tools: readonly { name: string; description: string }[];
  prompts: readonly string[];
  resources: number;
  /** Why it is not connected, or what is left out. */
  problems: readonly string[];
  /** The last lines of its error output. */
  stderr: readonly string[];
};

export interface McpService {
  servers(): McpServerInfo[];
  /** Allows a server of the project, now and later. */
  approve(name: string): Promise<void>;
  reconnect(name: string): Promise<void>;
  /** Returns a function that ends the subscription. */
  watch(changed: () => void): () => void;
  /** Reports each server that cannot be connected, once, in a sentence. */
  reportFailures(report: (sentence: string) => void): () => void;
}
