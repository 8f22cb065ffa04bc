/** A `fetch` that stays with the requested server, and stops reading answers no server would send. */

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** `maxBytes`: of an answer, or of one event of a stream. */
export function limitedFetch(maxBytes: number, fetch: Fetch = globalThis.fetch): Fetch {
  return async (url, init) => {
    const response = await fetchHere(url, init, fetch);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    const body = response.body.pipeThrough(limited(maxBytes, isStream));
    return new Response(body, { status, statusText, headers });
  };
}

const maxRedirects = 5;

/** A redirect to another server would take the user's token and messages with it: it is an error. */
async function fetchHere(
  url: string | URL,
  init: RequestInit | undefined,
  fetch: Fetch,
): Promise<Response> {
  let at = new URL(url);
  for (let followed = 0; ; followed += 1) {
    const response = await fetch(at, { ...init, redirect: "manual" });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    const to = URL.parse(location, at.href);
    if (to?.origin !== at.origin)
      throw new Error(
        `${at.host} redirects to ${to?.origin ?? "an invalid address"}, which is not followed.`,
      );
    const keepsMethod = response.status >= 307 || (init?.method ?? "GET") === "GET";
    if (!keepsMethod || followed === maxRedirects)
      throw new Error(`${at.host} redirects in a way that is not followed.`);
    at = to;
  }
}

function limited(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const rest = isStream ? restAfterEvent(Buffer.from(chunk)) : null;
      bytes = rest ?? bytes + chunk.length;
      if (bytes <= maxBytes) controller.enqueue(chunk);
      else controller.error(new Error(`It sent a message of more than ${maxBytes} bytes.`));
    },
  });
}

/** An empty line ends an event. Null: none ends here. */
function restAfterEvent(chunk: Buffer): number | null {
  const end = Math.max(chunk.lastIndexOf("\n\n"), chunk.lastIndexOf("\n\r\n"));
  return end === -1 ? null : chunk.length - end;
}
