/** The client at the other end of standard input, as a run sees it. */

import { ControlChannel } from "../control/channel.ts";
import { ClientTransport } from "../control/client-transport.ts";
import { readInitialize } from "../control/initialize.ts";
import type { Hub } from "../mcp/hub.ts";
import { commandOf } from "../print/jobs.ts";
import { printMessage, writeError } from "../print/output.ts";
import type { HeadlessRun } from "./headless-run.ts";
import { answerRequest } from "./requests.ts";

/** The client, what it asked for before the first message, and how a run is connected with it. */
export async function openClient() {
  const channel = new ControlChannel({
    input: Bun.stdin.stream(),
    print: printMessage,
    warn: (sentence) => writeError(`mini-claude: ${sentence}\n`),
  });
  const servers = new Map<string, ClientTransport>();
  return {
    channel,
    initialize: readInitialize(await channel.initialize),
    /** Begins to connect the MCP servers that run in the client; they are ready soon. */
    connectServers(hub: Hub | null): void {
      for (const { name, config } of hub?.servers ?? []) {
        if (config.type !== "sdk") continue;
        const transport = new ClientTransport(name, channel);
        servers.set(name, transport);
        void hub?.connect(name, transport);
      }
    },
    /** Hands its messages and requests to the run. */
    serve(opened: HeadlessRun): void {
      const { jobs } = opened;
      channel.serve({
        user: ({ message, uuid }) =>
          jobs.push({ command: commandOf(message.content, uuid ?? undefined) }),
        request: (request) => answerRequest(request, opened, servers),
        end: () => jobs.close(),
      });
    },
  };
}
