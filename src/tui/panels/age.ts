/** How long ago a time (ISO 8601) was, in a column: " 12s", "  5m"; an unreadable one is now. */
export const ageOf = (at: string, nowMs: number): string =>
  showAge(nowMs - (Date.parse(at) || nowMs)).padStart(4);

/** How long ago, "12s", "5m", "3h", "2d". */
export function showAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
}
