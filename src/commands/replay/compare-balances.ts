/** What this session would have cost with each balance of cost and memory. */

import { dependenciesOf } from "./dependencies.ts";
import { recordingOf } from "./own-log.ts";
import { product } from "./policies.ts";
import { changesOf, shareOf } from "./replay-result.ts";
import { simulate } from "./simulate.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";

/**
 * Replays the session's calls with each balance; the other numbers of the policy stay. US dollars,
 * and the shares of what later calls needed that was in view.
 */
export async function compareBalances(path: readonly Entry[], rules: ModelRules, policy: Policy) {
  const recording = recordingOf("this session", path);
  const needs = dependenciesOf(recording);
  const report = [];
  for (const balance of ["keep", "balanced", "save"] as const) {
    // The screen takes keys between two of them.
    await Bun.sleep(0);
    const replayed = product({ ...policy, policy: "economy", balance }, "");
    const { usd, summaries, kept } = simulate(recording, needs, replayed, {
      rules,
      overheadTokens: 0,
      ttl: null,
    });
    report.push({
      balance,
      usd,
      summaries,
      changes: shareOf(changesOf(kept)),
      files: shareOf(kept.files),
      names: shareOf(kept.words),
    });
  }
  return report;
}
