/** Streamable HTTP that ends calls whose answer can no longer arrive. */

import {
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/client";
import { answeringFetch } from "./answering-fetch.ts";
import type { Fetch } from "./limited-fetch.ts";
import { limitStreams } from "./stream-limit.ts";

/** Between two attempts to open a stream, in milliseconds, whatever the server asks for. */
const pauseMs = { least: 1_000, most: 30_000 };

export class HttpTransport extends StreamableHTTPClientTransport {
  constructor(url: URL, options: StreamableHTTPClientTransportOptions & { fetch: Fetch }) {
    super(url, {
      ...options,
      fetch: limitStreams(answeringFetch(options.fetch)),
      reconnectionScheduler(reconnect, ms) {
        const timer = setTimeout(reconnect, Math.min(Math.max(ms, pauseMs.least), pauseMs.most));
        return () => clearTimeout(timer);
      },
    });
  }

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
