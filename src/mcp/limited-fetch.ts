/** A `fetch` that stops reading a message which no server would send. */

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** `mostBytes`: of an answer, or of one event of a stream. */
export function limitedFetch(mostBytes: number, fetch: Fetch = globalThis.fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    const body = response.body.pipeThrough(limited(mostBytes, isStream));
    return new Response(body, { status, statusText, headers });
  };
}

function limited(mostBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const rest = isStream ? restAfterEvent(Buffer.from(chunk)) : null;
      bytes = rest ?? bytes + chunk.length;
      if (bytes <= mostBytes) controller.enqueue(chunk);
      else controller.error(new Error(`It sent a message of more than ${mostBytes} bytes.`));
    },
  });
}

/** An empty line ends an event. Null: none ends here. */
function restAfterEvent(chunk: Buffer): number | null {
  const end = Math.max(chunk.lastIndexOf("\n\n"), chunk.lastIndexOf("\n\r\n"));
  return end === -1 ? null : chunk.length - end;
}
