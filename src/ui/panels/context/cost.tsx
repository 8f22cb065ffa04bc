import { type ReactNode, useMemo } from "react";
import { counted } from "../../../base/format.ts";
import { followBill } from "../../../context/meter/charges.ts";
import { costsBySource } from "../../../context/meter/costs.ts";
import { useStore } from "../../screen-context.ts";
import { showUsd } from "../../transcript/format.ts";
import { usePanelSize } from "../panel-box.tsx";
import { TextPanel } from "../text-panel.tsx";
import { callTable, layoutBill, layoutSources } from "./bill-lines.ts";
import { callPoints, drawHistory } from "./history.ts";
import { useTabs } from "./tabs.ts";
import { useUsage } from "./usage.ts";

const minUsd = 0.00005;

const estimated =
  "The prices of this model are estimates; models.json takes the true ones: /help cost.";

/** Cost panel: chart, cost by source, other sessions, calls. */
export function CostPanel(): ReactNode {
  const { state, view, reading, rules } = useStore();
  const { columns } = usePanelSize();
  const tabs = useTabs("cost");
  const usage = useUsage(columns);
  const follow = useMemo(() => followBill(view, rules), [view.path, rules]);
  const sources = useMemo(() => costsBySource(view.path, rules), [view, view.version, rules]);
  const points = useMemo(() => callPoints(state.path, rules.prices), [state.path, rules]);
  const bill = follow();
  const { session: usd, isEstimate } = reading.cost;
  const elsewhere = usd - bill.usd;
  const calls = counted(bill.charges.length, "call");
  const total = usd === 0 ? `${calls}, without a price` : `${showUsd(usd, isEstimate)} in ${calls}`;
  const other = `${showUsd(elsewhere, isEstimate)} of it for subagents, web searches and abandoned branches.`;
  return (
    <TextPanel
      tabs={tabs}
      title={`Cost: ${total}`}
      hint="Tab next view · Esc close"
      lines={[
        ...drawHistory(points, columns, rules.prices.areEstimates),
        ...(elsewhere > minUsd ? [other] : []),
        ...(isEstimate ? [estimated] : []),
        ...layoutSources(sources),
        ...layoutBill(bill, columns),
        "",
        ...usage,
        ...callTable(bill, columns),
      ]}
    />
  );
}
