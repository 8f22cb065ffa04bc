/** The caps of a run, and what was spent before it and beside it. */

import { Budget } from "../agent/budget.ts";
import type { Spending } from "../protocol/budget.ts";
import type { LiveView } from "../context/view/view.ts";
import { CostsElsewhere } from "../log/usage.ts";
import { findPrices } from "../model/catalog.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { RunOptions } from "./run-options.ts";

export function openBudget(
  { settings, paths, log, send, isUnattended }: RunOptions,
  { view }: LiveView,
  { prices }: Pick<ModelRules, "prices">,
  spending: Spending,
): Budget {
  const { session, day, project } = settings.budget;
  const sinceMs = Date.now();
  const own = { session: log.session, sinceMs };
  const costs = new CostsElsewhere({ paths, findPrices, own });
  return new Budget({
    caps: {
      ...(session !== undefined && { session }),
      ...(day !== undefined && { day }),
      ...(project !== undefined && { project }),
    },
    spending,
    sessionUsd: view.bills.usd(prices),
    elsewhere: () => costs.read(Date.now()),
    isAttended: send !== undefined && !isUnattended,
  });
}
