import { sanitiseLine } from "../sanitise.ts";
import { fit } from "../wrap.ts";

/** Messages that are named one by one. */
const most = 3;

/** What was typed while the agent worked and waits for the next boundary, a line each. Pure. */
export function layoutQueue(waiting: readonly string[], columns: number): string[] {
  const lines = waiting
    .slice(0, most)
    .map((text) => fit(`  ↳ waits: ${sanitiseLine(text) || "(an image)"}`, columns));
  const rest = waiting.length - most;
  const more = rest > 0 ? [fit(`  ↳ and ${rest} more; Up takes them back`, columns)] : [];
  return [...lines, ...more];
}
