/** All hooks in the order in which they run, each with what it did last. */

import type { EntryOf, TierName } from "../../protocol/entry.ts";
import type { Host } from "../host.ts";
import { span, type Line } from "../line.ts";
import { sanitizeLine } from "../sanitize.ts";
import { showTokens } from "../transcript/format.ts";
import type { HookLine } from "../types.ts";
import { loading, type PanelModel } from "./panel.ts";
import { readerPanel, textContent } from "./reader-panel.ts";

export function hooksPanel(host: Host): PanelModel {
  const found = loading(host, host.options.services.hooks(), "Reading the settings …");
  return readerPanel({
    content() {
      const hooks = found.value;
      const lines = hooks?.flatMap((hook, index) => [
        ...(hook.event === hooks[index - 1]?.event ? [] : [span("heading", hook.event)]),
        ...hookLines(hook, host),
      ]) ?? [found.message];
      return textContent("Hooks", "Esc close", lines.length === 0 ? ["No hooks."] : lines);
    },
  });
}

function hookLines({ matcher, name, source, last, tiers }: HookLine, host: Host): Line[] {
  const about = matcher === "" ? "" : `${sanitizeLine(matcher)}: `;
  const first = [`  ${about}${sanitizeLine(name)}  `, span("dim", sanitizeLine(source))];
  if (!tiers) return [first, span("dim", `    ${sanitizeLine(last ?? "has not run yet")}`)];
  const cuts = host.state.path.filter((entry) => entry.type === "cut");
  return [first, ...tiers.map((tier) => tierLine(tier, cuts))];
}

function tierLine(tier: TierName, cuts: readonly EntryOf<"cut">[]): Line {
  const cut = cuts.findLast((one) => one.tier === tier);
  const freed = cut ? cut.price.usedBefore - cut.price.usedAfter : 0;
  const last = cut
    ? `${sanitizeLine(cut.reason)}; freed ${showTokens(freed)} tokens`
    : "has cut nothing yet";
  return [`    ${tier.padEnd(14)}`, span("dim", last)];
}
