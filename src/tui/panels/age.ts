/** How long ago, "12s", "5m", "3h", "2d". */
export function showAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
}

/** "just now", "5 minutes ago", "2 hours ago", "3 days ago". */
export function showAgo(ms: number): string {
  const [count, unit] = largestUnit(Math.max(0, ms));
  if (count === 0) return "just now";
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

function largestUnit(ms: number): [count: number, unit: string] {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return [minutes, "minute"];
  if (minutes < 48 * 60) return [Math.round(minutes / 60), "hour"];
  return [Math.round(minutes / 60 / 24), "day"];
}
