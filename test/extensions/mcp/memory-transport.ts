/** The small server within this process, instead of in another program. */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { parseJSONRPCMessage } from "@modelcontextprotocol/client";
import { SmallServer } from "./small-server.ts";

export function memoryTransport(): Transport {
  const server = new SmallServer(() => transport.onclose?.());
  const transport: Transport = {
    start: async () => undefined,
    async send(message: JSONRPCMessage) {
      for (const answer of server.handle(message))
        transport.onmessage?.(parseJSONRPCMessage(answer));
    },
    close: async () => transport.onclose?.(),
  };
  return transport;
}
