/** The transcript as lines, laid out on demand and cached until something changes. */

import { takeEnd } from "../../base/clip.ts";
import {
  findCut,
  findRow,
  keepsVerbatim,
  rowCounter,
  wholeRowCounter,
} from "../../context/view/rows.ts";
import { tokensOfText } from "../../context/meter/meter.ts";
import type { Row, View } from "../../context/types.ts";
import { blockText } from "../../protocol/block.ts";
import type { ModelRules } from "../../protocol/model.ts";
import { type Item, pickLater, sentEntry } from "../items.ts";
import { growingMarkdown, type GrowingMarkdown } from "../markdown/growing.ts";
import type { LaidOutCode } from "../markdown/layout.ts";
import { sanitize } from "../sanitize.ts";
import type { Shared } from "../shared.ts";
import { isOpen, type LiveBlock, type ScreenState } from "../state.ts";
import { wrapAnywhere, wrapWords } from "../painted-text.ts";
import { layoutItem } from "./item-lines.ts";
import { wasUndone } from "../undo.ts";
import { type Original, proseColumns, startsBlock } from "./tool-lines.ts";
import { findNeighbors } from "./outcome.ts";
import type { Source } from "./viewport.ts";

const tailLines = 3;

const thinkingChars = 4_000;

/** The current transcript at a given width, followed by the streamed answer. */
export function transcriptSource(
  { store, keys }: Pick<Shared, "store" | "keys">,
  originals: ReadonlyMap<string, Original>,
): (width: number) => Source {
  let { theme } = store;
  let width = 0;
  let nowMs = 0;
  /** Lines of items by key; `stamp`: their inputs. */
  const kept = new Map<string, { stamp: string; lines: readonly string[] }>();
  let keptLines = 0;
  /** Blocks of the streamed answer; kept until the next answer starts. */
  const growing = new Map<number, GrowingMarkdown>();
  let isStreaming = false;

  const streamedCode: LaidOutCode = (...code) =>
    growing
      .values()
      .map((text) => text.code(...code))
      .find((lines) => lines !== undefined);

  function layoutAt(state: ScreenState, view: View, index: number): readonly string[] {
    const item = state.items[index];
    if (!item) return [];
    const neighbors = findNeighbors(state, view, index);
    if (neighbors && neighbors[0]?.key !== item.key) return [];
    const row = findRow(view, sentEntry(item));
    const above = state.items[index - 1];
    const open = isOpen(state, item);
    const unanswered = item.kind === "tool" && item.result === null ? item : null;
    const { id } = unanswered?.call ?? {};
    const running = state.running.get(id ?? "");
    const isAsked = unanswered !== null && state.asks.some(({ toolUse }) => toolUse === id);
    const since = unanswered
      ? Date.parse(pickLater(unanswered.startedAt, state.answeredAt))
      : nowMs;
    const isDead =
      unanswered !== null &&
      (state.phase === "idle" || state.items.slice(index + 1).some(({ kind }) => kind === "user"));
    const runningMs = isDead ? null : Math.max(0, nowMs - since);
    const original = originals.get(item.key);
    const isUndone = item.kind === "cut" && wasUndone(item.entry.id, view);
    const cut = findCut(view, row);
    const stamp = `${isUndone} ${neighbors?.length} ${open} ${original !== undefined} ${row?.pinned} ${row?.shown} ${cut?.id} ${unanswered === null} ${running?.bytes ?? ""} ${isAsked} ${runningMs === null ? "" : Math.floor(runningMs / 1_000)}`;
    const known = kept.get(item.key);
    if (known?.stamp === stamp) return known.lines;
    // The final entry may arrive before the last streamed text was shown.
    if (item.kind === "text" && !isStreaming)
      for (const text of growing.values()) if (text.isGrownTo(item.text)) text.lines(item.text);
    const isKept = item.kind === "user" && keepsVerbatim(cut, item.entry);
    const freedTokens = row ? tokensFreed(view, row, store.rules) : 0;
    const lines = layoutItem(item, {
      width,
      theme,
      runningMs,
      open,
      row,
      cut,
      freedTokens,
      original,
      isAsked,
      isKept,
      isUndone,
      isPart: above !== undefined && sentEntry(above) === sentEntry(item),
      openKey: keys.describeKey("openNewest"),
      neighbors,
      follows: above?.kind ?? null,
      code: streamedCode,
      prices: view.bills.billedPrices(findModel(item), store.rules.prices),
    });
    if (running) lines.push(...newestOutput(running.tail));
    kept.set(item.key, { stamp, lines });
    keptLines += 1 + lines.length;
    return lines;
  }

  function newestOutput(tail: string): string[] {
    const lines = sanitize(tail).trimEnd().split("\n").slice(-tailLines);
    return lines
      .flatMap((line) => wrapAnywhere(line, width - 4))
      .slice(-tailLines)
      .map((line) => `  ${theme.paint("dim", `│ ${line}`)}`);
  }

  function live(state: ScreenState, block: LiveBlock | undefined): readonly string[] {
    if (block?.kind === "text") return growingText(block).lines(block.text);
    if (block === undefined) return [];
    const above = state.items.at(-1)?.kind ?? null;
    const isFirst = block === state.answer[0];
    const gap = isFirst && startsBlock("thinking", above) ? [""] : [];
    const text =
      block.kind === "thinking"
        ? newestThoughts(block.text)
        : [`○ Writing a call (${block.text.length} characters)`];
    return [...gap, ...text.map((line) => theme.paint("dim", line))];
  }

  function growingText({ index, text }: LiveBlock): GrowingMarkdown {
    const known = growing.get(index);
    // A retried call starts over.
    if (known?.isGrownTo(text)) return known;
    const fresh = growingMarkdown(Math.min(width, proseColumns), theme, [""]);
    growing.set(index, fresh);
    return fresh;
  }

  function newestThoughts(thinking: string): string[] {
    const lines = sanitize(takeEnd(thinking, thinkingChars)).trimEnd().split("\n").slice(-4);
    return lines.flatMap((line) => wrapWords(line, width - 2)).map((line) => `  ${line}`);
  }

  return (columns) => {
    const { state, view } = store;
    nowMs = store.nowMs;
    if (columns !== width || store.theme !== theme) {
      width = columns;
      theme = store.theme;
      keptLines = Infinity;
      growing.clear();
    }
    const { items, answer } = state;
    if (answer.length > 0 && !isStreaming) growing.clear();
    isStreaming = answer.length > 0;
    if (keptLines > maxKeptLines) {
      kept.clear();
      keptLines = 0;
    }
    return {
      count: items.length + Math.max(1, answer.length),
      lines: (index) =>
        index < items.length
          ? layoutAt(state, view, index)
          : live(state, answer[index - items.length]),
    };
  };
}

/** Tokens removed by a cut, or left out of a preview. */
function tokensFreed(view: View, row: Row, rules: ModelRules): number {
  if (row.by !== undefined) {
    // The first row of a summary has the summary's own tokens.
    const now = row.shown === "covered" ? 0 : rowCounter(view, rules)(row);
    return wholeRowCounter(view, rules)(row) - now;
  }
  const { entry } = row;
  if (entry.type !== "result") return 0;
  const sent = Buffer.byteLength(blockText(entry.content));
  return tokensOfText(view, rules, "toolResults", Math.max(0, entry.bytes - sent));
}

const findModel = ({ entry }: Item): string => (entry?.type === "assistant" ? entry.model : "");

/** About fifty screens: above this, kept lines are dropped. */
const maxKeptLines = 3_000;
