/** A `fetch` that tells of every chunk that arrives, since the SDKs swallow the server's pings. */

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

export function observeBytes(fetch: Fetch, onBytes: () => void): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    onBytes();
    if (response.body === null) return response;
    const observer = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        onBytes();
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(observer), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}
