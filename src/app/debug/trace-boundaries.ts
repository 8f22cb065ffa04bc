import { counted } from "../../base/in-words.ts";
import type { Session } from "../../agent/session.ts";
import type { TurnBoundaries } from "../../agent/turn-boundaries.ts";
import { excess } from "../../context/rules/window.ts";
import { nextPlan } from "../../context/ladder.ts";
import type { Moment, Plan } from "../../context/types.ts";
import { count, type DebugLog } from "./debug-log.ts";

/** Writes to the log what the tiers decide at each boundary, why, and on which numbers. */
export function traceBoundaries(
  boundaries: TurnBoundaries,
  session: Session,
  log: DebugLog,
): TurnBoundaries {
  const decide = (moment: Moment): void => {
    const plan = nextPlan(moment, session.signals);
    log.write("tiers", `${moment}: ${describeReading(session)}; ${describePlan(plan)}`);
  };
  return {
    ...boundaries,
    turnStart(signal, approvals) {
      decide("turnStart");
      return boundaries.turnStart(signal, approvals);
    },
    beforeCall(signal) {
      decide("beforeCall");
      return boundaries.beforeCall(signal);
    },
    tooLong(sizes, signal) {
      const said = sizes ? `${count(sizes.tokens)} of ${count(sizes.limit)} tokens` : "no sizes";
      log.write("tiers", `the server says the prompt is too long: ${said}`);
      return boundaries.tooLong(sizes, signal);
    },
  };
}

function describeReading({ reading, policy, rules }: Session): string {
  const { usedTokens, effectiveTokens, utilization, cache, idleMs } = reading;
  const over = excess(reading, rules);
  return [
    `${count(usedTokens)} of ${count(effectiveTokens)} tokens (${Math.round(utilization * 100)} %)`,
    ...(over > 0 ? [`${count(over)} too many`] : []),
    `cache ${cache.state}${cache.tokens > 0 ? ` with ${count(cache.tokens)}` : ""}`,
    ...(idleMs === null ? [] : [`idle ${count(idleMs / 1000)} s`]),
    `policy ${policy.policy}`,
  ].join(", ");
}

function describePlan(plan: Plan | null): string {
  if (!plan) return "no cut";
  const { tier, reason, price } = plan;
  const what = "changes" in plan ? counted(plan.changes.length, "change") : "a summary";
  return `${tier}: ${reason} (${what}, ${count(price.usedBefore)} to about ${count(price.usedAfter)} tokens)`;
}
