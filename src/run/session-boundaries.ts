import { resolve } from "node:path";
import { Compactor } from "../agent/compaction/compactor.ts";
import type { AgentOptions } from "../agent/agent.ts";
import { createTurnBoundaries } from "../agent/turn-boundaries.ts";
import type { HookRegistry } from "../hooks/registry.ts";
import { writePrivate } from "../log/export/private-file.ts";
import type { ModelClient } from "../model/client.ts";
import { systemClock } from "../protocol/clock.ts";
import { workspaceText } from "../tools/files/workspace-text.ts";
import type { RunOptions } from "./run-types.ts";

/** What happens between turns: compaction, with the files that summaries read and write. */
export function boundariesOf(
  { cwd, settings: { transcriptDir }, tracer }: RunOptions,
  hooks: HookRegistry,
  model: ModelClient,
): AgentOptions["boundaries"] {
  return (session) => {
    const compactor = new Compactor({
      session,
      hooks,
      model: () => model,
      clock: systemClock,
      readFile: (path) => workspaceText(cwd, path),
      transcripts:
        transcriptDir === undefined
          ? undefined
          : { dir: resolve(cwd, transcriptDir), write: writePrivate },
    });
    const boundaries = createTurnBoundaries(session, compactor);
    return tracer?.boundaries(boundaries, session) ?? boundaries;
  };
}
