import { closeSync, openSync, readFileSync, statSync, writeSync } from "node:fs";

/** How often a holder touches its lock, and when a lock that is not touched counts as abandoned. */
const beatMs = 20_000;
const abandonedMs = 120_000;

/** Touches the lock file until the returned function is called, or until its content changes. */
export function startHeartbeat(path: string, own: string, everyMs: number = beatMs): () => void {
  const timer = setInterval(() => {
    if (!touch(path, own)) clearInterval(timer);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Writes the same bytes again, so that the time comes from the file system, not from our clock. */
function touch(path: string, own: string): boolean {
  try {
    if (readFileSync(path, "utf8") !== own) return false;
    const fd = openSync(path, "r+");
    writeSync(fd, own, 0);
    closeSync(fd);
    return true;
  } catch {
    // The disk may be full or unavailable for a while.
    return true;
  }
}

/**
 * True when the lock was touched lately; `nowMs` is the file system's time. A lock dated in the
 * future has not been touched since the clock was set back.
 */
export function isBeating(path: string, nowMs: number): boolean {
  const lock = statSync(path, { throwIfNoEntry: false });
  return lock !== undefined && Math.abs(nowMs - lock.mtimeMs) < abandonedMs;
}
