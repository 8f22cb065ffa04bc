import { type ReactNode } from "react";
import { effectiveWindow } from "../../context/meter/meter.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { pad } from "../painted-text.ts";
import { useActions, useScreen, useServices, useStore } from "../screen-context.ts";
import { shortTokens, showUsd } from "../transcript/format.ts";
import { choiceLine } from "./choices.tsx";
import { ListPanel } from "./list-panel.tsx";
import { useLoading } from "./use-loading.ts";

/** Models for which window and price are fetched. */
const maxDescribed = 40;

const nameColumns = 34;

export function ModelPanel(): ReactNode {
  const { state, policy } = useStore();
  const { send } = useActions();
  const services = useServices();
  const effort = useScreen(({ settings }) => settings.current.effort ?? "default");
  const names = useLoading(services.models, "Asking the server …");
  const all = names.value ? [...new Set([state.model, ...names.value])] : [];
  const described = useLoading(() => describe(all, services.modelRules), "", [names.value]);
  return (
    <ListPanel
      title={`Model · effort ${effort} (/effort)`}
      hint="Enter select · window, and prices per million tokens · /model NAME takes any name · Esc close"
      empty={names.message}
      items={all}
      lines={(name) => [modelLine(name, state.model, policy, described.value?.get(name))]}
      text={String}
      closes
      onChoose={(model) => model !== state.model && send({ type: "model", model })}
    />
  );
}

async function describe(
  names: readonly string[],
  rulesOf: (name: string) => Promise<ModelRules>,
): Promise<ReadonlyMap<string, ModelRules>> {
  const rules = names
    .slice(0, maxDescribed)
    .map(async (name) => [name, await rulesOf(name)] as const);
  const known = await Promise.allSettled(rules);
  return new Map(known.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])));
}

function modelLine(
  name: string,
  current: string,
  policy: Policy,
  rules: ModelRules | undefined,
): string {
  const line = pad(choiceLine(name, current), nameColumns);
  if (!rules) return line.trimEnd();
  const { input, output, areEstimates } = rules.prices;
  const price =
    input === 0 && output === 0
      ? "free"
      : `${showUsd(input, areEstimates)} in, ${showUsd(output, areEstimates)} out`;
  return `${line}${shortTokens(effectiveWindow(rules, policy)).padStart(8)}  ${price}`;
}
