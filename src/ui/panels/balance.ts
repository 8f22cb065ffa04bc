/** The balance of cost and memory: what each position would have cost on this session. */

import type { Policy } from "../../protocol/policy.ts";
import type { Host } from "../host.ts";
import type { Theme } from "../theme.ts";
import { showUsd } from "../transcript/format.ts";
import type { BalanceReport } from "../types.ts";
import { loading, type PanelModel } from "./panel.ts";
import { readerPanel, textContent } from "./reader-panel.ts";

export function balancePanel(host: Host): PanelModel {
  const { rules, view } = host;
  const { policy, services } = host.options;
  const hasCalls = view.rows.some(({ entry }) => entry.type === "assistant");
  const replay = hasCalls
    ? services.balances(rules, policy)
    : Promise.reject(new Error("No model calls yet: nothing to compare."));
  const report = loading(host, replay, "Replaying this session …");
  return readerPanel(host, {
    content() {
      const lines = report.value
        ? layoutBalances(report.value, policy, host.theme)
        : [report.message];
      return textContent("Cost versus memory", "Esc close", lines);
    },
  });
}

function layoutBalances(
  report: BalanceReport,
  { policy, balance: current }: Pick<Policy, "policy" | "balance">,
  theme: Theme,
): string[] {
  const line = (name: string, ...cells: string[]): string =>
    `${name.padEnd(11)}${cells.map((cell) => cell.padStart(10)).join("")}`;
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
  return [
    theme.paint("heading", line("", "cost", "changes", "files", "names", "summaries")),
    ...report.map(({ balance, usd, changes, files, names, summaries }) => {
      const isCurrent = policy === "economy" && balance === current;
      const shares = [changes, files, names].map(percent);
      return line(`${isCurrent ? "●" : " "} ${balance}`, showUsd(usd), ...shares, `${summaries}`);
    }),
    "",
    "Estimated by replaying this session's calls. Changes, files, names: the share of those needed by",
    "later calls that was still in view. Change the balance in /settings: policy.balance.",
  ];
}
