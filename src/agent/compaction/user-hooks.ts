/** The user's own commands around a compaction. Their errors are reported and change nothing. */

import type { Trigger } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { Session } from "../session.ts";

export type UserHooks = {
  /** May veto a summary, with a reason, or add to its prompt. Ends early when the signal fires. */
  preCompact?(
    trigger: Trigger,
    signal: AbortSignal,
  ): Promise<{ veto?: string; instructions?: string }>;
  /** Gets the text that replaces the conversation. */
  postCompact?(text: string, signal: AbortSignal): Promise<void>;
};

type PreCompactResult = { instructions?: string; warning?: string } | { veto: string };

/** Runs the preCompact hook. A veto is ignored when the window is full (`forced`). */
export async function runPreCompact(
  { preCompact }: UserHooks,
  trigger: Trigger,
  forced: boolean,
  signal: AbortSignal,
): Promise<PreCompactResult> {
  if (!preCompact) return {};
  try {
    const { veto, instructions } = await untilAborted(preCompact(trigger, signal), signal);
    if (veto === undefined) return instructions ? { instructions } : {};
    if (!forced) return { veto };
    return {
      warning: `The preCompact hook's veto (${veto}) was ignored: the next request would not fit.`,
    };
  } catch (error) {
    return { warning: `The preCompact hook failed: ${messageOf(error)}` };
  }
}

export async function* runPostCompact(
  { postCompact }: UserHooks,
  session: Session,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void> {
  if (!postCompact) return;
  try {
    await untilAborted(postCompact(text, signal), signal);
  } catch (error) {
    const warning = `The postCompact hook failed: ${messageOf(error)}`;
    yield await session.record({ type: "note", kind: "warning", text: warning });
  }
}

/** Does not wait for a hook that ignores its signal. */
function untilAborted<T>(hook: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = (): void => reject(new Error("it was stopped"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  hook.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  return promise;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
