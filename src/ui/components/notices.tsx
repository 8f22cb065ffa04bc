import { Box } from "ink";
import type { ReactNode } from "react";
import { toChord } from "../keys.ts";
import { atMost, wrapWords } from "../painted-text.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import type { Screen } from "../screen.ts";
import { useColumns } from "../look.ts";
import { useScreen, useSource } from "../screen-context.ts";
import { useKeys } from "../use-keys.ts";
import { Styled } from "./styled.tsx";

/** Lines above the prompt: failure, queued messages, notices. */
export function Notices(): ReactNode {
  const { coldCache: notice } = useSource().screen;
  useKeys((event) => notice.press(toChord(event)), "popup");
  const rows = useScreen((_, { notices }) => notices);
  const { failure, stopped, queue, coldCache, flash, vim } = useScreen(noticeTexts);
  const columns = useColumns();
  return (
    <Box flexDirection="column" height={rows} flexShrink={0} overflow="hidden">
      <Box height={failureRows(failure, columns)} flexShrink={0} overflow="hidden">
        <Styled role="bad" wrap="wrap">
          {failure}
        </Styled>
      </Box>
      <Styled role="dim">{stopped}</Styled>
      <Box flexDirection="column" flexShrink={0}>
        {queue.map((line, index) => (
          <Styled key={index} role="dim">
            {line}
          </Styled>
        ))}
      </Box>
      <Styled role="warning" wrap="wrap">
        {coldCache}
      </Styled>
      <Styled role="accent" wrap="wrap">
        {flash}
      </Styled>
      <Styled role="strong">{vim}</Styled>
    </Box>
  );
}

const rowsOf = (text: string, columns: number): number =>
  text === "" ? 0 : wrapWords(text, columns).length;

const maxFailure = 4;

const failureRows = (text: string, columns: number): number =>
  Math.min(maxFailure, rowsOf(text, columns));

export function noticeRows(screen: Screen, columns: number): number {
  const { failure, stopped, queue, coldCache, flash, vim } = noticeTexts(screen);
  const rows = [coldCache, flash].map((text) => rowsOf(text, columns));
  const lines = [stopped, ...queue, vim].filter(Boolean).length;
  return rows.reduce((sum, count) => sum + count, lines + failureRows(failure, columns));
}

const noticeTexts = (screen: Screen) => ({
  // The narration says how a turn ended.
  failure: screen.spoken.length > 0 ? "" : failureText(screen),
  stopped: screen.spoken.length > 0 || screen.store.state.idle?.why !== "stopped" ? "" : "Stopped.",
  queue: queueLines(screen.store.state.queue),
  coldCache: screen.coldCache.text ?? "",
  flash: sanitizeLine(screen.store.state.flash?.text ?? ""),
  vim: screen.prompt.vim.mode?.toUpperCase() ?? "",
});

/** The error of the turn, unless it is visible at the end of the transcript. */
function failureText({ store, transcript }: Screen): string {
  const { idle, items } = store.state;
  if (idle?.why !== "failed") return "";
  const end = items.at(-1);
  const isInTranscript = end?.kind === "note" && end.entry.text === idle.message;
  return isInTranscript && transcript.followsEnd ? "" : sanitize(idle.message);
}

const maxQueued = 3;

function queueLines(queue: readonly string[]): readonly string[] {
  const lines = queue.map((text) => `↳ queued: ${sanitizeLine(text) || "(an image)"}`);
  return atMost(lines, maxQueued, (rest) => `↳ and ${rest} more`);
}
