/** Streamable HTTP that ends calls whose answer can no longer arrive. */

import { StreamableHTTPClientTransport, type JSONRPCMessage } from "@modelcontextprotocol/client";

export class HttpTransport extends StreamableHTTPClientTransport {
  /** The official one leaves a call waiting when the stream that should answer it ends. */
  override send(
    message: JSONRPCMessage | JSONRPCMessage[],
    options?: Parameters<StreamableHTTPClientTransport["send"]>[1],
  ): Promise<void> {
    if (Array.isArray(message) || !("method" in message) || !("id" in message))
      return super.send(message, options);
    const { id } = message;
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      // Nobody waits for it any more when the answer has come.
      this.onmessage?.({ jsonrpc: "2.0", id, error: unanswered });
    };
    return super.send(message, { ...options, onRequestStreamEnd });
  }
}

const unanswered = { code: -32_000, message: "The connection was closed before it answered." };
