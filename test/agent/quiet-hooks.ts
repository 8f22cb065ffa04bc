import type { Hooks } from "../../src/agent/hooks.ts";

async function* nothing(): AsyncGenerator<never, void> {}

async function* no(): AsyncGenerator<never, boolean> {
  yield* nothing();
  return false;
}

/** Hooks that never compact. */
export const quietHooks: Hooks = {
  turnStart: nothing,
  beforeCall: nothing,
  afterTools: nothing,
  turnEnd: nothing,
  tooLong: no,
  compact: nothing,
  summarise: nothing,
  review: () => {},
};
