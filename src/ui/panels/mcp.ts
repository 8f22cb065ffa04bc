/** The MCP servers: their state, their tools, and what they cost in each call. */

import { counted } from "../../base/in-words.ts";
import type { Host } from "../host.ts";
import { type Line, span, spansOf, wrapAnywhere } from "../line.ts";
import type { McpServerInfo } from "../types.ts";
import { sanitizeLine } from "../sanitize.ts";
import { showTokens } from "../transcript/format.ts";
import { listPanel } from "./list-panel.ts";
import { type PanelModel, readerPanel, textContent } from "./panel.ts";
import { costOfServer } from "./context/map.ts";

export function serversPanel(host: Host): PanelModel {
  return listPanel<McpServerInfo>(host, {
    filter: "slash",
    content: () => {
      const items = host.options.services.mcp?.servers() ?? [];
      return {
        title: "MCP servers",
        hint: `${items.length > 0 ? "Enter details, approve · r reconnect · " : ""}Esc close`,
        empty: "No MCP servers. Add one with: mini-claude mcp add",
        items,
      };
    },
    lines: (server) => linesOf(host, server),
    onChoose: ({ name }) =>
      host.dispatch({ type: "panel", panel: { kind: "mcp-server", server: name } }),
    keys: {
      r: (server) => void (server && reconnect(host, server)),
    },
  });
}

function linesOf(
  host: Host,
  { name, scope, state, where, tools, problems }: McpServerInfo,
): Line[] {
  const { view, rules } = host;
  const role = state === "connected" ? "good" : state === "failed" ? "bad" : "warning";
  const cost = costLine(costOfServer(view, rules, name), tools.length);
  const why = state === "unapproved" ? "Enter to review and approve it" : problems.join(" ");
  return [
    [
      `${name.padEnd(20)} `,
      span(role, state.padEnd(11)),
      ` ${state === "connected" ? cost : sanitizeLine(why)}`,
    ],
    span("dim", `  ${scope}: ${sanitizeLine(where)}`),
  ];
}

/** "10 tools, 2 sent: 340 tokens, 0.0068 ¢ a call" */
function costLine(cost: ReturnType<typeof costOfServer>, tools: number): string {
  const { sent, definitions, results, perCall } = cost;
  const count = `${counted(tools, "tool")}, ${sent} sent`;
  if (definitions + results === 0) return count;
  const parts = [`${showTokens(definitions)} tokens`];
  if (results > 0) parts.push(`${showTokens(results)} of results`);
  return `${count}: ${parts.join(" + ")}, ${cents(perCall.cached)} a call`;
}

const cents = (usd: number): string => `${(usd * 100).toPrecision(2)} ¢`;

export function serverPanel(host: Host, name: string): PanelModel {
  return readerPanel({
    keys: {
      escape: () => host.dispatch({ type: "panel", panel: { kind: "mcp" } }),
      r: () => void reconnect(host, { name }),
      a: () => void approve(host, name),
    },
    content(columns) {
      const server = serverNamed(host, name);
      const lines = server ? detailsOf(host, server, columns) : ["This server was removed."];
      const approves = server?.state === "unapproved" ? "a approve · " : "";
      return textContent(`MCP server ${name}`, `${approves}r reconnect · Esc back`, lines);
    },
  });
}

const serverNamed = (host: Host, name: string): McpServerInfo | undefined =>
  host.options.services.mcp?.servers().find((one) => one.name === name);

function detailsOf(host: Host, server: McpServerInfo, columns: number): Line[] {
  const { view, rules } = host;
  const { name, scope, state, where, tools, prompts, resources, problems, stderr } = server;
  const cost = costOfServer(view, rules, name);
  const { cached, uncached } = cost.perCall;
  const perCall = `Per call: ${cents(cached)} cached, ${cents(uncached)} uncached.`;
  const listed = (title: string, lines: readonly Line[]): Line[] =>
    lines.length === 0
      ? []
      : ["", span("heading", title), ...lines.map((line) => ["  ", ...spansOf(line)])];
  return [
    `${state}, ${scope}`,
    // In full: it is what an approval is about.
    ...wrapAnywhere(sanitizeLine(where), columns),
    costLine(cost, tools.length),
    ...(uncached === 0 ? [] : [perCall]),
    ...listed("Problems", problems.map(sanitizeLine)),
    ...listed("Error output", stderr.map(sanitizeLine)),
    ...listed(
      "Tools",
      tools.map(({ name: tool, description }): Line => [
        `${tool}  `,
        span("dim", sanitizeLine(description.split("\n")[0] ?? "")),
      ]),
    ),
    ...listed(
      "Prompts",
      prompts.map((prompt) => `/${name}:${prompt}`),
    ),
    ...(resources > 0 ? listed("Resources", [`${resources}, as @${name}:URI`]) : []),
  ];
}

async function approve(host: Host, name: string): Promise<void> {
  if (serverNamed(host, name)?.state !== "unapproved") return;
  await attempt(host, host.options.services.mcp?.approve(name));
}

async function reconnect(host: Host, { name }: { name: string }): Promise<void> {
  host.flash(`Reconnecting ${name}.`);
  await attempt(host, host.options.services.mcp?.reconnect(name));
}

async function attempt(host: Host, work: Promise<void> | undefined): Promise<void> {
  host.redraw();
  await work?.catch(host.report);
  host.redraw();
}
