import { Bills } from "../context/bills.ts";
import { rulesFor } from "../context/fit.ts";
import { measure } from "../context/meter.ts";
import type { MeterReading } from "../context/types.ts";
import { Projection } from "../context/view.ts";
import type { Entry } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";

/** The meter of a session as it is now. Walks the whole path. */
export function readMeter(path: readonly Entry[], rules: ModelRules, policy: Policy): MeterReading {
  const { view } = new Projection(path, new Bills());
  return measure(view, rulesFor(view, rules), policy, Date.now());
}
