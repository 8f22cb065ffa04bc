import { type ReactNode, useState } from "react";
import { counted } from "../../base/format.ts";
import { serverCost } from "../../context/meter/shares.ts";
import { wrapAnywhere } from "../painted-text.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useActions, useServices, useSource, useStore } from "../screen-context.ts";
import { type Line, span } from "../spans.ts";
import type { Store } from "../store.ts";
import { showTokens } from "../transcript/format.ts";
import type { McpServerInfo } from "../types.ts";
import { ListPanel } from "./list-panel.tsx";
import { nameTable } from "./name-table.ts";
import { usePanelSize } from "./panel-box.tsx";
import { TextPanel } from "./text-panel.tsx";

/** The MCP servers, with what their tools cost. */
export function ServersPanel(): ReactNode {
  const store = useStore();
  const { servers, reconnect } = useServers();
  const [name, open] = useState<string | null>(null);
  return (
    <ListPanel
      title="MCP servers"
      hint={`${servers.length > 0 ? "Enter details, approve · r reconnect · " : ""}Esc close`}
      empty="No MCP servers. Add one with: mini-claude mcp add"
      items={servers}
      lines={(server) => serverLines(store, server)}
      filter="slash"
      keys={{ r: (server) => server && reconnect(server.name) }}
      onChoose={(server) => open(server.name)}
      onBack={() => open(null)}
      opened={name === null ? null : <ServerPanel name={name} />}
    />
  );
}

function ServerPanel({ name }: { name: string }): ReactNode {
  const store = useStore();
  const { columns } = usePanelSize();
  const { servers, reconnect, approve } = useServers();
  const server = servers.find((each) => each.name === name);
  const canApprove = server?.state === "unapproved";
  return (
    <TextPanel
      title={`MCP server ${name}`}
      hint={`${canApprove ? "a approve · " : ""}r reconnect · Esc back`}
      lines={server ? describeServer(store, server, columns) : ["This server was removed."]}
      keys={{ r: () => reconnect(name), ...(canApprove && { a: () => approve(name) }) }}
    />
  );
}

function useServers() {
  const { mcp } = useServices();
  const { notify, report } = useActions();
  const { store } = useSource().screen;
  /** Progress is visible in the server's state. */
  const attempt = (work: Promise<void> | undefined): void => {
    store.redraw();
    void work?.catch(report).then(store.redraw);
  };
  return {
    servers: mcp?.servers() ?? [],
    approve: (name: string): void => attempt(mcp?.approve(name)),
    reconnect(name: string): void {
      notify(`Reconnecting ${name}.`);
      attempt(mcp?.reconnect(name));
    },
  };
}

function serverLines(
  { view, rules }: Store,
  { name, scope, state, where, tools, problems }: McpServerInfo,
): Line[] {
  const role = state === "connected" ? "good" : state === "failed" ? "bad" : "warning";
  const cost = costLine(serverCost(view, rules, name), tools.length);
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
function costLine(cost: ReturnType<typeof serverCost>, tools: number): string {
  const { sent, definitions, results, callUsd } = cost;
  const count = `${counted(tools, "tool")}, ${sent} sent`;
  if (definitions + results === 0) return count;
  const parts = [`${showTokens(definitions)} tokens`];
  if (results > 0) parts.push(`${showTokens(results)} of results`);
  return `${count}: ${parts.join(" + ")}, ${cents(callUsd)} a call`;
}

const cents = (usd: number): string => `${(usd * 100).toPrecision(2)} ¢`;

function describeServer({ view, rules }: Store, server: McpServerInfo, columns: number): Line[] {
  const { name, scope, state, where, tools, prompts, resources, problems, stderr } = server;
  const cost = serverCost(view, rules, name);
  const listed = (title: string, lines: readonly Line[]): Line[] =>
    lines.length === 0 ? [] : ["", span("heading", title), ...lines];
  return [
    `${state}, ${scope}`,
    // In full: the user approves exactly this.
    ...wrapAnywhere(sanitizeLine(where), columns),
    costLine(cost, tools.length),
    ...listed("Problems", problems.map(sanitizeLine)),
    ...listed("Error output", stderr.map(sanitizeLine)),
    ...listed(
      "Tools",
      nameTable(
        tools.map(({ name: tool, description }) => [tool, description.split("\n")[0] ?? ""]),
        columns,
      ),
    ),
    ...listed(
      "Prompts",
      prompts.map((prompt) => `/${name}:${prompt}`),
    ),
    ...(resources > 0 ? listed("Resources", [`${resources}, as @${name}:URI`]) : []),
  ];
}
