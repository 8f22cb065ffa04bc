/** The person's own hooks and copies. What breaks there is told, and changes nothing. */

import type { AgentEvent } from "../../protocol/event.ts";
import type { CompactorOptions, Occasion } from "./parts.ts";
import { transcriptOf } from "./transcript.ts";

export type Permission = { go: true; instructions?: string; warning?: string } | { veto: string };

/** Whether the person's hook lets a summary be made. A veto does not stand against the window. */
export async function runPreCompact(
  { preCompact }: CompactorOptions,
  { trigger, forced }: Occasion,
): Promise<Permission> {
  try {
    const { veto, instructions } = (await preCompact?.(trigger)) ?? {};
    if (veto === undefined) return { go: true, ...(instructions ? { instructions } : {}) };
    if (!forced) return { veto };
    const warning = `The preCompact hook said no (${veto}), but the next request would not fit.`;
    return { go: true, warning };
  } catch (error) {
    return { go: true, warning: `The preCompact hook failed: ${messageOf(error)}` };
  }
}

export async function* runPostCompact(
  { session, postCompact }: CompactorOptions,
  said: string,
): AsyncGenerator<AgentEvent, void> {
  try {
    await postCompact?.(said);
  } catch (error) {
    const text = `The postCompact hook failed: ${messageOf(error)}`;
    yield await session.record({ type: "note", kind: "warning", text });
  }
}

export type Copy = {
  path: string;
  /** Null when it stands, else why not. */ write(): Promise<string | null>;
};

/** A readable copy of the messages as they are now. Written only once nothing can stop the cut. */
export function copyOf({ session, transcripts }: CompactorOptions): Copy | null {
  if (!transcripts) return null;
  const { name, text } = transcriptOf(session.view);
  const path = `${transcripts.dir}/${name}`;
  const write = (): Promise<string | null> =>
    transcripts.write(path, text).then(
      () => null,
      (error: unknown) => `No readable copy of the transcript was written: ${messageOf(error)}`,
    );
  return { path, write };
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
