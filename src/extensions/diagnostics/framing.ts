/** JSON-RPC messages on a stream of bytes, each after a header that gives its length. */

/** A longer message ends the connection, in bytes. */
const maxMessageBytes = 16 * 1024 * 1024;

/** A longer header ends the connection, too. */
const maxHeaderBytes = 4_096;

export function frame(message: object): Uint8Array {
  const body = JSON.stringify(message);
  return Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** Puts messages together from chunks. */
export class MessageReader {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** Bytes that must be there before it is worth looking. */
  #needed = 0;

  /** The messages that are complete now. Throws when the stream is not one of messages. */
  push(chunk: Uint8Array): unknown[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#needed) return [];
    let rest = Buffer.concat(this.#chunks);
    const messages: unknown[] = [];
    for (;;) {
      const next = firstMessage(rest);
      this.#needed = next.needed;
      if (next.body === null) break;
      messages.push(JSON.parse(next.body.toString("utf8")));
      rest = rest.subarray(next.needed);
    }
    this.#chunks = [rest];
    this.#bytes = rest.length;
    return messages;
  }
}

/** `needed`: bytes up to the end of the message, or 0 while that is unknown. */
function firstMessage(bytes: Buffer): { body: Buffer | null; needed: number } {
  const end = bytes.indexOf("\r\n\r\n");
  if (end > maxHeaderBytes || (end < 0 && bytes.length > maxHeaderBytes))
    throw new Error("It sent something other than messages.");
  if (end < 0) return { body: null, needed: 0 };
  const header = bytes.subarray(0, end).toString("latin1");
  const length = Number(/^content-length: *(\d+)\s*$/im.exec(header)?.[1]);
  if (!(length <= maxMessageBytes)) throw new Error("It sent a message without a usable length.");
  const start = end + 4;
  const needed = start + length;
  return { body: bytes.length < needed ? null : bytes.subarray(start, needed), needed };
}
