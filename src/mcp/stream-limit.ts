import type { Fetch } from "./limited-fetch.ts";

/** A stream that ended sooner, in milliseconds, has ended at once. */
const shortMs = 5_000;
const timesInARow = 10;

/** Only the streams opened last are remembered. */
const maxStreams = 50;

/**
 * A `fetch` that opens no stream again that has ended at once many times, without an event: it
 * answers 405, upon which the official client gives up the stream and the call that waits for it.
 */
export function limitStreams(fetch: Fetch): Fetch {
  /** By the last event that was received. */
  const openings = new Map<string, { atMs: number; times: number }>();
  return (url, init) => {
    if (init?.method !== "GET") return fetch(url, init);
    const from = new Headers(init.headers).get("last-event-id") ?? "";
    const atMs = performance.now();
    const last = openings.get(from);
    const times = last && atMs - last.atMs < shortMs ? last.times + 1 : 1;
    openings.delete(from);
    openings.set(from, { atMs, times });
    for (const [oldest] of openings) if (openings.size > maxStreams) openings.delete(oldest);
    return times > timesInARow
      ? Promise.resolve(new Response(null, { status: 405 }))
      : fetch(url, init);
  };
}
