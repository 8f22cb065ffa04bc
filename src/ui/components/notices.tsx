import type { ReactNode } from "react";
import { atMost, type Line, span, wrapSpans } from "../line.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import type { Screen } from "../screen.ts";
import { useScreen } from "../screen-context.ts";
import { Rows } from "./line.tsx";

/** Above the prompt: a failure, the queue, messages of the moment. */
export function Notices(): ReactNode {
  const lines = useScreen((screen, { columns, notices }) =>
    noticeLines(screen, columns).slice(0, notices),
  );
  return <Rows lines={lines} />;
}

export function noticeLines(screen: Screen, columns: number): Line[] {
  const { store, prompt, coldCache } = screen;
  const { flash, idle, queue } = store.state;
  return [
    ...failureLines(screen, columns),
    ...wrapSpans("dim", idle?.why === "stopped" ? "Stopped." : "", columns),
    ...queueLines(queue).map((line) => span("dim", line)),
    ...wrapSpans("warning", coldCache.text ?? "", columns),
    ...wrapSpans("accent", sanitizeLine(flash?.text ?? ""), columns),
    ...wrapSpans("strong", prompt.vim.mode?.toUpperCase() ?? "", columns),
  ];
}

const maxFailure = 4;

/** Why the turn failed, unless the end of the transcript is visible and says so. */
function failureLines({ store, transcript }: Screen, columns: number): Line[] {
  const { idle, items } = store.state;
  if (idle?.why !== "failed") return [];
  const end = items.at(-1);
  const isSaid = end?.kind === "note" && end.entry.text === idle.message;
  if (isSaid && transcript.followsEnd) return [];
  return wrapSpans("bad", sanitize(idle.message), columns).slice(0, maxFailure);
}

const maxQueued = 3;

function queueLines(queue: readonly string[]): readonly string[] {
  const lines = queue.map((text) => `↳ queued: ${sanitizeLine(text) || "(an image)"}`);
  return atMost(lines, maxQueued, (rest) => `↳ and ${rest} more`);
}
