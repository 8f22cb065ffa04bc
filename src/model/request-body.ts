/** A request as JSON. A message is serialized once: nearly all of them were in the request before. */

const texts = new WeakMap<object, string>();

export function bodyOf({ messages, ...rest }: { messages: readonly object[] }): string {
  return `${JSON.stringify(rest).slice(0, -1)},"messages":[${messages.map(textOf).join(",")}]}`;
}

/** A message that was sent never changes; a changed one is another object. */
function textOf(message: object): string {
  const known = texts.get(message);
  if (known !== undefined) return known;
  const text = JSON.stringify(message);
  texts.set(message, text);
  return text;
}
