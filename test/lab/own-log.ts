/** Our own logs as recordings: the path to the head without its cuts, which the replay makes itself. */

import type { AssistantBlock } from "../../src/protocol/block.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { sentBy } from "../../src/protocol/model.ts";
import { RecordingError, type Before, type RecordedCall, type Recording } from "./recording.ts";
import { TokenCounts } from "./token-counts.ts";

export function toRecording(name: string, path: readonly Entry[]): Recording {
  const session = path[0];
  if (session?.type !== "session")
    throw new RecordingError(`${name}: the first entry is not a session of this program.`);
  const { cwd, system, tools } = session;
  const counts = new TokenCounts(system.length + JSON.stringify(tools).length);
  const calls: RecordedCall[] = [];
  let before: Before[] = [];
  let lastAnswer: AssistantBlock[] = [];
  let sentAtMs: number | null = null;
  let isCut = false;
  for (const entry of path) {
    if (entry.type === "user" || entry.type === "context" || entry.type === "result") {
      before.push(entry);
      continue;
    }
    isCut ||= entry.type === "cut" || entry.type === "restore" || entry.type === "model";
    if (entry.type !== "assistant" || entry.stop === "failed") continue;
    const at = Date.parse(entry.sentAt);
    counts.call(lastAnswer, before, sentBy(entry.usage), isCut);
    // The server's own summary is one of the cuts.
    lastAnswer = entry.content.filter(({ type }) => type !== "compaction");
    isCut = false;
    calls.push({
      before,
      gapMs: sentAtMs === null || !Number.isFinite(at) ? null : Math.max(0, at - sentAtMs),
      turnStart: before.some(({ type }) => type === "user"),
      answer: lastAnswer,
      outputTokens: entry.usage.output,
    });
    if (Number.isFinite(at)) sentAtMs = at;
    before = [];
  }
  return { name, cwd, system, tools, calls, counted: counts.result() };
}
