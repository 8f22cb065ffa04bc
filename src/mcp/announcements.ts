/** What the model is told about servers: appended once, and again when it changes. */

import { textOf } from "../protocol/block.ts";
import { contextFact } from "../protocol/context-fact.ts";
import type { ContextFact, Entry } from "../protocol/entry.ts";
import { clip } from "../protocol/clip.ts";
import type { Lists } from "./read-lists.ts";
import type { Server } from "./server.ts";

/** Characters for the names of one server's tools; the search finds the rest. */
const namesChars = 2_000;

/** `offers`: whether a tool may be loaded. */
export function announcementsOf(
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
  const changed = servers.flatMap((server): ContextFact[] => {
    const isNew = (tool: string): boolean => !sent.has(tool) && offers(tool);
    const fact = factOf(titleOf(server), describe(server, isNew, told.has(titleOf(server))));
    const isTold = told.get(fact.title) === JSON.stringify(fact.content);
    return isTold || textOf(fact.content) === "" ? [] : [fact];
  });
  return [...connectingNews(servers, told), ...changed];
}

const factOf = (title: string, text: string): ContextFact => contextFact("tools", title, text);

const allTitle = "MCP servers";

/** One line for all servers that are connecting, except those whose tools a resumed session knows. */
function connectingNews(
  servers: readonly Server[],
  told: ReadonlyMap<string, string>,
): ContextFact[] {
  const names = servers
    .filter((server) => server.state === "connecting" && !told.has(titleOf(server)))
    .map(({ name }) => name);
  const fact = factOf(allTitle, `Connecting: ${names.join(", ")}. ToolSearch finds their tools.`);
  const isTold = told.get(allTitle) === JSON.stringify(fact.content);
  return names.length === 0 || isTold ? [] : [fact];
}

/** Whether it replaces what came before in the context. */
const isSummary = (entry: Entry): boolean =>
  entry.type === "cut" && entry.changes.some(({ kind }) => kind === "cover");

const titleOf = ({ name }: Server): string => `MCP server ${name}`;

/** Empty: nothing that the model needs to know. */
function describe(server: Server, isNew: (tool: string) => boolean, wasTold: boolean): string {
  switch (server.state) {
    case "connected":
      return [instructionsOf(server.lists), namesOf(server.lists, isNew)]
        .filter(Boolean)
        .join("\n");
    case "failed":
    case "login":
      return wasTold ? "Not available now." : "";
    default:
      return "";
  }
}

const instructionsOf = ({ instructions }: Lists): string =>
  instructions === "" ? "" : `Its own description: ${instructions}`;

/** Tools whose definitions the model does not have. */
function namesOf({ tools, resources }: Lists, isNew: (tool: string) => boolean): string {
  const names = tools.map(({ definition }) => definition.name);
  if (resources.length > 0) names.push("ListMcpResources", "ReadMcpResource");
  const loadable = names.filter(isNew);
  if (loadable.length === 0) return "";
  return `ToolSearch loads these tools: ${clip(loadable.join(", "), namesChars)}`;
}
