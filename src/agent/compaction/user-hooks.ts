/** The user's own commands around a compaction. Their errors are reported and change nothing. */

import type { Trigger } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { Session } from "../session.ts";

export type UserHooks = {
  /** May veto a summary, with a reason, or add to its prompt. */
  preCompact?(
    trigger: Trigger,
    signal: AbortSignal,
  ): Promise<{ veto?: string; instructions?: string }>;
  /** Gets the text that replaces the conversation. */
  postCompact?(text: string): Promise<void>;
};

export type PreCompactResult =
  { go: true; instructions?: string; warning?: string } | { veto: string };

/** Runs the preCompact hook. A veto is ignored when the window is full (`forced`). */
export async function runPreCompact(
  { preCompact }: UserHooks,
  trigger: Trigger,
  forced: boolean,
  signal: AbortSignal,
): Promise<PreCompactResult> {
  try {
    const { veto, instructions } = (await preCompact?.(trigger, signal)) ?? {};
    if (veto === undefined) return { go: true, ...(instructions ? { instructions } : {}) };
    if (!forced) return { veto };
    const warning = `The preCompact hook's veto (${veto}) was ignored: the next request would not fit.`;
    return { go: true, warning };
  } catch (error) {
    return { go: true, warning: `The preCompact hook failed: ${messageOf(error)}` };
  }
}

export async function* runPostCompact(
  { postCompact }: UserHooks,
  session: Session,
  text: string,
): AsyncGenerator<AgentEvent, void> {
  try {
    await postCompact?.(text);
  } catch (error) {
    const warning = `The postCompact hook failed: ${messageOf(error)}`;
    yield await session.record({ type: "note", kind: "warning", text: warning });
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
