/** The hooks before and after a summary. */

import type { HookRegistry } from "../../extensions/hooks/registry.ts";
import type { Trigger } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import { contextOf, runHooks, type HookContext } from "../run-hooks.ts";
import { isByHand } from "./throttle.ts";

/** What asks for a cut, and how. */
export type Occasion = {
  trigger: Trigger;
  signal: AbortSignal;
  focus?: string | undefined;
  /** The next request would not fit: neither the user nor a hook can prevent it. */
  forced?: boolean;
};

type BeforeSummary = { veto: string } | { instructions: string; warnings: string[] };

/** PreCompact hooks may veto a summary or add to its prompt. A veto is ignored when it is `forced`. */
export async function beforeSummary(
  hooks: HookRegistry,
  { trigger, signal, focus = "", forced = false }: Occasion,
): Promise<BeforeSummary> {
  const input = { trigger: askedBy(trigger), custom_instructions: focus };
  const result = await hooks.run("PreCompact", input, { signal, emit });
  const veto = result.block ?? result.stop;
  const instructions = result.context.join("\n");
  if (veto === null) return { instructions, warnings: result.messages };
  if (!forced) return { veto };
  const ignored = `A PreCompact hook's veto (${veto}) was ignored: the next request would not fit.`;
  return { instructions, warnings: [...result.messages, ignored] };
}

/**
 * PostCompact hooks get the text that replaces the conversation. SessionStart hooks may add to what is
 * left of it.
 */
export async function* afterSummary(
  context: HookContext,
  { trigger, signal }: Occasion,
  text: string,
): AsyncGenerator<AgentEvent, void> {
  const input = { trigger: askedBy(trigger), compact_summary: text };
  yield* runHooks(context, "PostCompact", input, signal);
  const started = yield* runHooks(context, "SessionStart", { source: "compact" }, signal);
  for (const fact of contextOf("SessionStart", started)) yield await context.session.record(fact);
}

/** In the words that hooks of other agents expect. */
const askedBy = (trigger: Trigger): "manual" | "auto" => (isByHand(trigger) ? "manual" : "auto");

const emit = (): void => undefined;
