/** Panels of background work: commands, and MCP servers with their cost. */

import type { Host } from "./host.ts";
import { fit, type Line, span, toSpans, spreadLine, wrapAnywhere } from "../line.ts";
import { sanitizeLine } from "../sanitize.ts";
import { showBytes, showTokens } from "../transcript/format.ts";
import type { BackgroundCommand } from "../../protocol/background-command.ts";
import { listPanel, type ListPanel } from "./old-list.ts";
import { pagedPanel, type PanelModel, readerPanel } from "./panel.ts";
import { counted } from "../../base/in-words.ts";
import type { McpServerInfo } from "../types.ts";
import { serverCost } from "../../context/meter/shares.ts";

const reloadMs = 1_000;

export function backgroundPanel(host: Host): PanelModel {
  const service = host.services.background;
  let commands: readonly BackgroundCommand[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const load = async (): Promise<void> => {
    commands = await service.list().catch(() => []);
    host.redraw();
  };
  const read = (command: BackgroundCommand): void => {
    list.opened = pagedPanel(host, service.open(command), {
      title: sanitizeLine(command.command),
      hint: "↑ ↓ PgUp PgDn scroll · r reload · Esc back to the list",
      keys: { r: () => read(command) },
      fromEnd: true,
    });
  };
  const stop = (command: BackgroundCommand | undefined): void => {
    if (!command) return;
    if (!command.isRunning) return host.notify("The command has already ended.");
    service.stop(command.id).then(() => {
      host.notify(`Stopped: ${command.command}`);
      void load();
    }, host.report);
  };
  const ask = (command: BackgroundCommand | undefined): void => {
    if (!command) return;
    host.show(null);
    host.setPrompt(`Read the output of ${command.id} (${command.command}): `);
  };

  const list: ListPanel = listPanel<BackgroundCommand>(host, {
    filter: "slash",
    keys: { x: stop, tab: ask },
    title: "Commands in the background",
    hint: () =>
      `${commands.length > 0 ? "Enter read · x stop · Tab ask about it · / search · " : ""}Esc close`,
    empty: () => `None. ${host.keys.describeKey("background")} sends the running command here.`,
    items() {
      clearTimeout(timer);
      if (commands.some(({ isRunning }) => isRunning))
        timer = setTimeout(() => void load(), reloadMs);
      return commands;
    },
    lines: commandLines,
    onChoose: read,
  });
  void load();
  return list;
}

function commandLines(
  { command, state, isRunning, lastLine, bytes }: BackgroundCommand,
  columns: number,
): Line[] {
  const sign = isRunning ? span("accent", "○") : "●";
  const right = `${state}, ${showBytes(bytes)}`;
  return [
    spreadLine([sign, ` ${sanitizeLine(command)}`], right, columns),
    span("dim", fit(`  │ ${sanitizeLine(lastLine) || "(no output yet)"}`, columns)),
  ];
}

export function serversPanel(host: Host): PanelModel {
  const servers = () => host.services.mcp?.servers() ?? [];
  const list: ListPanel = listPanel<McpServerInfo>(host, {
    filter: "slash",
    title: "MCP servers",
    hint: () => `${servers().length > 0 ? "Enter details, approve · r reconnect · " : ""}Esc close`,
    empty: "No MCP servers. Add one with: mini-claude mcp add",
    items: servers,
    lines: (server) => serverLines(host, server),
    onChoose: ({ name }) => (list.opened = serverPanel(host, name)),
    keys: { r: (server) => server && reconnect(host, server.name) },
  });
  return list;
}

function serverLines(
  host: Host,
  { name, scope, state, where, tools, problems }: McpServerInfo,
): Line[] {
  const { view, rules } = host;
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
  const { sent, definitions, results, perCall } = cost;
  const count = `${counted(tools, "tool")}, ${sent} sent`;
  if (definitions + results === 0) return count;
  const parts = [`${showTokens(definitions)} tokens`];
  if (results > 0) parts.push(`${showTokens(results)} of results`);
  return `${count}: ${parts.join(" + ")}, ${cents(perCall.cached)} a call`;
}

const cents = (usd: number): string => `${(usd * 100).toPrecision(2)} ¢`;

function serverPanel(host: Host, name: string): PanelModel {
  const find = () => host.services.mcp?.servers().find((server) => server.name === name);
  const keys = {
    r: () => reconnect(host, name),
    a() {
      if (find()?.state === "unapproved") attempt(host, host.services.mcp?.approve(name));
    },
  };
  return readerPanel(
    (columns) => {
      const server = find();
      const lines = server ? layOutServer(host, server, columns) : ["This server was removed."];
      const approves = server?.state === "unapproved" ? "a approve · " : "";
      return { title: `MCP server ${name}`, hint: `${approves}r reconnect · Esc back`, lines };
    },
    { keys },
  );
}

function layOutServer(host: Host, server: McpServerInfo, columns: number): Line[] {
  const { view, rules } = host;
  const { name, scope, state, where, tools, prompts, resources, problems, stderr } = server;
  const cost = serverCost(view, rules, name);
  const { cached, uncached } = cost.perCall;
  const perCall = `Per call: ${cents(cached)} cached, ${cents(uncached)} uncached.`;
  const listed = (title: string, lines: readonly Line[]): Line[] =>
    lines.length === 0
      ? []
      : ["", span("heading", title), ...lines.map((line) => ["  ", ...toSpans(line)])];
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

function reconnect(host: Host, name: string): void {
  host.notify(`Reconnecting ${name}.`);
  attempt(host, host.services.mcp?.reconnect(name));
}

/** Its beginning and its end are seen in the state of the server. */
function attempt(host: Host, work: Promise<void> | undefined): void {
  host.redraw();
  void work?.catch(host.report).then(host.redraw);
}
