/**
 * What a server asks us to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or
 * as a date. Null when it asks nothing, or nonsense.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const ms = number(headers.get("retry-after-ms"));
  if (ms !== null) return ms;
  const asked = headers.get("retry-after");
  const seconds = number(asked);
  if (seconds !== null) return Math.ceil(seconds * 1_000);
  const date = Date.parse(asked ?? "");
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

function number(text: string | null): number | null {
  if (text === null || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return null;
  return Number(text);
}
