/**
 * The delay that a server asks for, in milliseconds: from `retry-after-ms`, or from `retry-after` in
 * seconds or as a date. Null when there is none, or it makes no sense.
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
