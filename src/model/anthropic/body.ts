/**
 * A request as JSON in UTF-8. A message is serialized once: nearly all of them were in the request
 * before, at the same places. It is built as bytes: for a string of a megabyte, the engine would
 * keep the pieces, the full string and the bytes that it sends.
 */

const encoder = new TextEncoder();

/** The last request of a conversation. Message n is from byte `from[n]` to `from[n + 1]`. */
type Sent = { messages: readonly object[]; body: Uint8Array; from: readonly number[] };

/** By the first message, which all requests of a conversation begin with. */
const lastSent = new WeakMap<object, Sent>();

/** A message that was sent never changes; a changed one is another object. */
export function bodyOf({ messages, ...rest }: { messages: readonly object[] }): Uint8Array {
  const start = encoder.encode(`${JSON.stringify(rest).slice(0, -1)},"messages":[`);
  const [first] = messages;
  const before = first && lastSent.get(first);
  const pieces: Uint8Array[] = [start];
  const from = [start.length];
  for (let at = 0; at < messages.length;) {
    const begin = from[at] ?? 0;
    const last = at;
    while (before && at < messages.length && messages[at] === before.messages[at]) {
      at++;
      from.push(begin + (before.from[at] ?? 0) - (before.from[last] ?? 0));
    }
    if (before && at > last) {
      pieces.push(before.body.subarray(before.from[last], before.from[at]));
      continue;
    }
    const bytes = encoder.encode(`${at > 0 ? "," : ""}${JSON.stringify(messages[at])}`);
    pieces.push(bytes);
    from.push(begin + bytes.length);
    at++;
  }
  const body = Buffer.concat([...pieces, end]);
  if (first) lastSent.set(first, { messages, body, from });
  return body;
}

const end = encoder.encode("]}");
