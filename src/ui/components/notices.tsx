import type { ReactNode } from "react";
import { atMost, fit, type Line, span, wrapWords } from "../line.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import type { Screen } from "../screen.ts";
import { useScreen } from "../screen-context.ts";
import type { Role } from "../theme.ts";
import { Rows } from "./line.tsx";

/** Above the prompt: a failure, the queue, messages of the moment. */
export const Notices = (): ReactNode => <Rows lines={useScreen((frame) => frame.notices)} />;

export function noticeLines(screen: Screen, columns: number): Line[] {
  const { state, prompt, coldCache } = screen;
  const { flash, idle } = state;
  const said = (role: Role, text: string): Line[] =>
    text === "" ? [] : wrapWords(text, columns).map((line) => span(role, line));
  return [
    ...failureLines(screen, columns),
    ...said("dim", idle?.why === "stopped" ? "Stopped." : ""),
    ...layoutQueue(state.queue, columns).map((line) => span("dim", line)),
    ...said("warning", coldCache.text ?? ""),
    ...said("accent", sanitizeLine(flash?.text ?? "")),
    ...said("strong", prompt.vim.mode?.toUpperCase() ?? ""),
  ];
}

const maxFailure = 4;

/** Why the turn failed, unless the end of the transcript is visible and says so. */
function failureLines({ state, transcript }: Screen, columns: number): Line[] {
  const { idle, items } = state;
  if (idle?.why !== "failed") return [];
  const end = items.at(-1);
  const isSaid = end?.kind === "note" && end.entry.text === idle.message;
  if (isSaid && transcript.followsEnd) return [];
  const lines = wrapWords(sanitize(idle.message), columns).slice(0, maxFailure);
  return lines.map((line) => span("bad", line));
}

const maxQueued = 3;

export function layoutQueue(queue: readonly string[], columns: number): string[] {
  const lines = queue.map((text) => `↳ queued: ${sanitizeLine(text) || "(an image)"}`);
  return atMost(lines, maxQueued, (rest) => `↳ and ${rest} more`).map((l) => fit(l, columns));
}
