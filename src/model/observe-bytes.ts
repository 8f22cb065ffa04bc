/** A `fetch` that tells of every chunk that arrives, since the SDKs swallow the server's pings. */

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

export function observeBytes(fetch: Fetch, onBytes: () => void): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    onBytes();
    if (response.body === null) return response;
    return new Response(observed(response.body, onBytes), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

/**
 * Reads only what is asked for. A stream that fails throws away what it has queued, so a queue here
 * (or a `TransformStream`) would lose words that had already come when the line breaks.
 */
function observed(body: ReadableStream<Uint8Array>, onBytes: () => void) {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        onBytes();
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
