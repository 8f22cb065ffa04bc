/**
 * The texts of a stream that end with a separator. Ends when one gets longer than `maxChars`, after a call
 * of `tooLong`.
 */
export async function* splitStream(
  stream: AsyncIterable<Uint8Array>,
  separator = "\n",
  { maxChars = Infinity, tooLong = (): void => {} } = {},
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  // In pieces: joining them chunk by chunk would take long for a long text.
  let rest: string[] = [];
  let chars = 0;
  for await (const bytes of stream) {
    const [end = "", ...others] = decoder.decode(bytes, { stream: true }).split(separator);
    rest.push(end);
    chars += end.length;
    const last = others.pop();
    if (last !== undefined) {
      yield rest.join("");
      yield* others;
      rest = [last];
      chars = last.length;
    }
    if (chars > maxChars) return tooLong();
  }
}
