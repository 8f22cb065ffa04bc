import { useState } from "react";
import { useKeys } from "../input.tsx";

/** Scrolls a panel with the usual keys; gives the first line to show. */
export function useScrolling(lines: number, rows: number): number {
  const [from, setFrom] = useState(0);
  const page = Math.max(1, rows - 2);
  const most = Math.max(0, lines - page);
  const steps: Record<string, number> = {
    up: -1,
    down: 1,
    k: -1,
    j: 1,
    pageup: -page,
    pagedown: page,
    home: -lines,
    end: lines,
  };
  useKeys("dialog", (event) => {
    const step =
      event.type === "key"
        ? steps[event.chord]
        : event.type === "mouse"
          ? { wheelUp: -3, wheelDown: 3, press: 0, release: 0 }[event.action]
          : undefined;
    if (!step) return false;
    setFrom((now) => Math.max(0, Math.min(most, now + step)));
    return true;
  });
  return Math.min(from, most);
}
