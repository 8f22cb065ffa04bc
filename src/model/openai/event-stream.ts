/**
 * The events of a stream, read more leniently than the SDKs do: a body without events is kept, so
 * that the caller can tell what it was instead.
 */

export type StreamPart =
  | { is: "event"; name: string; data: string }
  /** The whole of an answer that is not a stream of events. */
  | { is: "document"; text: string };

/** Yields each event that has data, as it arrives. */
export async function* readEventStream(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<StreamPart, void> {
  const decoder = new TextDecoder();
  let rest = "";
  let isStream: boolean | null = null;
  let name = "";
  let data: string[] = [];
  function* read(lines: readonly string[]): Generator<StreamPart, void> {
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) yield { is: "event", name, data: data.join("\n") };
        name = "";
        data = [];
      }
      const [, field, value = ""] = /^(data|event)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === "event") name = value;
      if (field === "data" && value !== "") data.push(value);
    }
  }
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    isStream ??= rest.trim() === "" ? null : !/^\s*[[{<]/.test(rest);
    if (!isStream) continue;
    // A line may end in "\r\n", which may come in two pieces.
    const end = Math.max(rest.lastIndexOf("\n"), rest.lastIndexOf("\r", rest.length - 2));
    if (end < 0) continue;
    const lines = rest.slice(0, end + 1).split(/\r\n|\n|\r/);
    rest = rest.slice(end + 1);
    lines.pop();
    yield* read(lines);
  }
  rest += decoder.decode();
  if (isStream === false) yield { is: "document", text: rest };
  else yield* read([...rest.split(/\r\n|\n|\r/), ""]);
}
