import type { Entry } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { Bills } from "./bills.ts";
import { rulesFor } from "./fit.ts";
import { measure } from "./meter.ts";
import type { MeterReading } from "./types.ts";
import { Projection } from "./view.ts";

/** The meter of a session at a time. Walks the whole path. */
export function readMeter(
  path: readonly Entry[],
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
): MeterReading {
  const { view } = new Projection(path, new Bills());
  return measure(view, rulesFor(view, rules), policy, nowMs);
}
