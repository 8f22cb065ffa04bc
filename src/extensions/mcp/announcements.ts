/** News of servers for the model: appended once, and again when it changes. */

import { textOf } from "../../protocol/block.ts";
import { type ContextFact, contextFact, type Entry } from "../../protocol/entry.ts";
import { clip } from "../../base/clip.ts";
import type { Lists } from "./listing.ts";
import type { Server } from "./server.ts";

/** Characters for the names of one server's tools; the search finds the rest. */
const namesChars = 2_000;

/** `offers`: whether a tool may be loaded. */
export function announce(
  servers: readonly Server[],
  path: readonly Entry[],
  offers: (tool: string) => boolean,
): ContextFact[] {
  const told = new Map<string, string>();
  const sent = new Set<string>();
  for (const entry of path) {
    if (entry.type === "session") for (const { name } of entry.tools) sent.add(name);
    // A summary loses the names, and the loaded tools with them.
    if (isSummary(entry)) told.clear();
    if (entry.type === "context" && entry.kind === "tools")
      told.set(entry.title, JSON.stringify(entry.content));
  }
  const wasTold = (server: Server): boolean => told.has(titleFor(server));
  const isNew = (tool: string): boolean => !sent.has(tool) && offers(tool);
  // The tools of those that a resumed session knows are known.
  const connecting = servers
    .filter((server) => server.state === "connecting" && !wasTold(server))
    .map(({ name }) => name);
  return [
    contextFact("tools", "MCP servers", describeConnecting(connecting)),
    ...servers.map((server) =>
      contextFact("tools", titleFor(server), describe(server, isNew, wasTold(server))),
    ),
  ].filter(
    ({ title, content }) => textOf(content) !== "" && told.get(title) !== JSON.stringify(content),
  );
}

/** One line for all servers. */
const describeConnecting = (names: readonly string[]): string =>
  names.length === 0 ? "" : `Connecting: ${names.join(", ")}. ToolSearch finds their tools.`;

/** Whether it replaces what came before in the context. */
const isSummary = (entry: Entry): boolean =>
  entry.type === "cut" && entry.changes.some(({ kind }) => kind === "cover");

const titleFor = ({ name }: Server): string => `MCP server ${name}`;

/** Empty: nothing that the model needs to know. */
function describe(server: Server, isNew: (tool: string) => boolean, wasTold: boolean): string {
  switch (server.state) {
    case "connected":
      return [quoteInstructions(server.lists), listLoadable(server.lists, isNew)]
        .filter(Boolean)
        .join("\n");
    case "failed":
    case "login":
      return wasTold ? "Not available now." : "";
    default:
      return "";
  }
}

const quoteInstructions = ({ instructions }: Lists): string =>
  instructions === "" ? "" : `Its own description: ${instructions}`;

/** Tools whose definitions the model does not have. */
function listLoadable({ tools, resources }: Lists, isNew: (tool: string) => boolean): string {
  const names = tools.map(({ definition }) => definition.name);
  if (resources.length > 0) names.push("ListMcpResources", "ReadMcpResource");
  const loadable = names.filter(isNew);
  if (loadable.length === 0) return "";
  return `ToolSearch loads these tools: ${clip(loadable.join(", "), namesChars)}`;
}
