/** The call that writes a summary: tried again where that can help, never trusted blindly. */

import { buildSummaryRequest } from "../context/request.ts";
import { readSummary } from "../context/summary/read.ts";
import type { ModelClient } from "../model/client.ts";
import type { Span } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { ModelRequest, Usage } from "../protocol/model.ts";
import { textOf } from "../protocol/block.ts";
import { Answer } from "./answer.ts";
import type { Session } from "./session.ts";

export type Written = { text: string; usage: Usage } | { failed: string } | { stopped: true };

const mostTries = 3;

/** Asks the model; a request that is itself too long loses its oldest quarter, up to three times. */
export async function* writeSummary(
  session: Session,
  model: ModelClient,
  span: Span,
  prompt: string,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Written> {
  let failed = "no answer";
  let dropOldest = 0;
  for (let attempt = 1; attempt <= mostTries; attempt++) {
    const { view, rules, policy } = session;
    const request = buildSummaryRequest(view, span, rules, policy, { prompt, dropOldest });
    const tried = yield* ask(model, request, signal);
    if ("text" in tried || "stopped" in tried) return tried;
    failed = tried.failed;
    if (tried.tooLong) dropOldest++;
    else if (!tried.mayHelp) break;
  }
  return { failed };
}

type Tried =
  Exclude<Written, { failed: string }> | { failed: string; tooLong: boolean; mayHelp: boolean };

async function* ask(
  model: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Tried> {
  const answer = new Answer();
  try {
    for await (const event of model.stream(request, signal)) {
      if (event.type !== "stop") {
        answer.add(event);
        if (event.type === "delta" && event.kind === "text") {
          yield { type: "compaction", state: { step: "writing", text: event.text } };
        }
        continue;
      }
      const read = readSummary(textOf(answer.content), event.stop);
      if ("text" in read) return { text: read.text, usage: event.usage };
      return {
        failed: `the summary was rejected: ${read.rejected}`,
        tooLong: false,
        mayHelp: true,
      };
    }
    return { failed: "the model's stream ended early", tooLong: false, mayHelp: true };
  } catch (error) {
    if (signal.aborted) return { stopped: true };
    const kind = error instanceof Error && "kind" in error ? error.kind : "";
    return {
      failed: error instanceof Error ? error.message : String(error),
      tooLong: kind === "too-long",
      mayHelp: kind === "busy" || kind === "stall",
    };
  }
}
