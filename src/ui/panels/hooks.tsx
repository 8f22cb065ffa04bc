import type { ReactNode } from "react";
import type { EntryOf, TierName } from "../../protocol/entry.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useServices, useStore } from "../screen-context.ts";
import { type Line, span } from "../spans.ts";
import { homePath, showTokens } from "../transcript/format.ts";
import type { HookLine } from "../types.ts";
import { TextPanel } from "./text-panel.tsx";
import { useLoading } from "./use-loading.ts";

type Cut = EntryOf<"cut">;

/** All hooks and tiers, in order, with what each did last. */
export function HooksPanel(): ReactNode {
  const { path } = useStore().state;
  const found = useLoading(useServices().hooks, "Reading the settings …");
  const cuts = path.filter((entry) => entry.type === "cut");
  const lines = found.value?.flatMap((hook, index, all) => [
    ...(hook.event === all[index - 1]?.event ? [] : [span("heading", hook.event)]),
    ...hookLines(hook, cuts),
  ]) ?? [found.message];
  const shown = lines.length === 0 ? ["No hooks."] : lines;
  return <TextPanel title="Hooks" hint="Esc close" lines={shown} />;
}

function hookLines({ matcher, name, source, last, tiers }: HookLine, cuts: readonly Cut[]): Line[] {
  const about = matcher === "" ? "" : `${sanitizeLine(matcher)}: `;
  const first = [`  ${about}${sanitizeLine(name)}  `, span("dim", sanitizeLine(homePath(source)))];
  return tiers
    ? [first, ...tiers.map((tier) => tierLine(tier, cuts))]
    : [first, span("dim", `    ${sanitizeLine(last ?? "has not run yet")}`)];
}

function tierLine(tier: TierName, cuts: readonly Cut[]): Line {
  const cut = cuts.findLast((candidate) => candidate.tier === tier);
  const freed = cut ? cut.price.usedBefore - cut.price.usedAfter : 0;
  const last = cut
    ? `${sanitizeLine(cut.reason)}; freed ${showTokens(freed)} tokens`
    : "has not compacted anything yet";
  return [`    ${tier.padEnd(14)}`, span("dim", last)];
}
