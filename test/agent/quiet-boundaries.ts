import type { TurnBoundaries } from "../../src/agent/compaction/at-boundary.ts";

async function* nothing(): AsyncGenerator<never, void> {}

async function* no(): AsyncGenerator<never, boolean> {
  yield* nothing();
  return false;
}

/** Hooks that never compact. */
export const quietBoundaries: TurnBoundaries = {
  turnStart: nothing,
  beforeCall: nothing,
  afterTools: nothing,
  turnEnd: nothing,
  idle: nothing,
  recordWhenReady: nothing,
  close: nothing,
  tooLong: no,
  compact: nothing,
  summarize: nothing,
};
