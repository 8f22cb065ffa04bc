/**
 * A request as JSON in UTF-8. A message is serialized once: nearly all of them were in the request
 * before. Bytes, because of a string of a megabyte that is made for each call, the engine keeps the
 * pieces, the whole and the bytes that it sends.
 */

const encoder = new TextEncoder();

/** Each with a comma before it. */
const known = new WeakMap<object, Uint8Array>();

export function bodyOf({ messages, ...rest }: { messages: readonly object[] }): Uint8Array {
  const start = encoder.encode(`${JSON.stringify(rest).slice(0, -1)},"messages":[`);
  const [first, ...others] = messages.map(bytesOf);
  return Buffer.concat([start, ...(first ? [first.subarray(1)] : []), ...others, end]);
}

const end = encoder.encode("]}");

/** A message that was sent never changes; a changed one is another object. */
function bytesOf(message: object): Uint8Array {
  let bytes = known.get(message);
  if (bytes === undefined) {
    bytes = encoder.encode(`,${JSON.stringify(message)}`);
    known.set(message, bytes);
  }
  return bytes;
}
