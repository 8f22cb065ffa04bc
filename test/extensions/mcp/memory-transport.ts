/** The small server within this process, instead of in another program. */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { parseJSONRPCMessage } from "@modelcontextprotocol/client";
import { SmallServer } from "./small-server.ts";

export function memoryTransport(): Transport {
  const server = new SmallServer(
    (message) => transport.onmessage?.(parseJSONRPCMessage(message)),
    () => transport.onclose?.(),
  );
  const transport: Transport = {
    start: async () => undefined,
    send: async (message: JSONRPCMessage) => server.handle(message),
    close: async () => transport.onclose?.(),
  };
  return transport;
}
