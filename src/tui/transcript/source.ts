/** The transcript as lines, laid out on demand and cached until something changes. */

import { takeEnd } from "../../protocol/clip.ts";
import { cutOf, rowOf } from "../../context/row-of.ts";
import { tokensOf, tokensOfText, wholeTokensOf } from "../../context/meter.ts";
import type { Row, View } from "../../context/types.ts";
import { textOf } from "../../protocol/block.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { Host } from "../host.ts";
import { laterOf, sentEntry, type Item } from "../items.ts";
import { at, last } from "../list.ts";
import { GrowingMarkdown } from "../markdown/growing.ts";
import { sanitize } from "../sanitize.ts";
import { isOpen, type LiveBlock, type ScreenState } from "../state.ts";
import type { Theme } from "../theme.ts";
import { wrapAnywhere, wrapWords } from "../wrap.ts";
import { layoutItem } from "./item-lines.ts";
import { proseColumns, startsBlock } from "./item-layout.ts";
import { KeptLines } from "./kept-lines.ts";
import { neighborsOf } from "./neighbors.ts";
import type { Originals } from "./originals.ts";
import type { Source } from "./viewport.ts";

/** Lines shown of a running command. */
const tailLines = 3;

/** At most this much of thinking that is being streamed is laid out. */
const thinkingChars = 4_000;

type SourceHost = Pick<Host, "state" | "view" | "theme" | "rules" | "nowMs">;

export class TranscriptSource {
  readonly #host: SourceHost;
  readonly #originals: Originals;
  #theme: Theme;
  #width = 0;
  #nowMs = 0;
  #kept = new KeptLines();
  #growing = new Map<number, GrowingMarkdown>();
  /** The last answer as it was laid out while it was streamed. */
  #grown: readonly GrowingMarkdown[] = [];

  constructor(host: SourceHost, originals: Originals) {
    this.#host = host;
    this.#originals = originals;
    this.#theme = host.theme;
  }

  /** The transcript as it is now, followed by the answer that is being streamed. */
  of(width: number): Source {
    const { state, view, theme, nowMs } = this.#host;
    this.#nowMs = nowMs;
    if (width !== this.#width || theme !== this.#theme) {
      this.#width = width;
      this.#theme = theme;
      this.#kept = new KeptLines();
      this.#growing = new Map();
      this.#grown = [];
    }
    if (state.answer.length > 0) this.#grown = [];
    else if (this.#growing.size > 0) {
      this.#grown = [...this.#growing.values()];
      this.#growing = new Map();
    }
    this.#kept.begin();
    const { items, answer } = state;
    return {
      count: items.length + Math.max(1, answer.length),
      lines: (index) =>
        index < items.length
          ? this.#item(state, view, index)
          : this.#live(state, answer[index - items.length]),
    };
  }

  #item(state: ScreenState, view: View, index: number): readonly string[] {
    const item = at(state.items, index);
    if (!item) return [];
    const neighbors = neighborsOf(state, view, index);
    if (neighbors && neighbors[0]?.key !== item.key) return [];
    const row = rowOf(view, sentEntry(item));
    const open = isOpen(state, item);
    const unanswered = item.kind === "tool" && item.result === null ? item : null;
    const { id } = unanswered?.call ?? {};
    const running = state.running.get(id ?? "");
    const isAsked = unanswered !== null && state.asks.some(({ toolUse }) => toolUse === id);
    const since = unanswered
      ? Date.parse(laterOf(unanswered.startedAt, state.answeredAt))
      : this.#nowMs;
    const runningMs = Math.max(0, this.#nowMs - since);
    const page = this.#originals.pageOf(item.key);
    const stamp = `${neighbors?.length} ${open} ${page?.from} ${row?.pinned} ${row?.shown} ${row?.by} ${unanswered === null} ${running?.bytes ?? ""} ${isAsked} ${Math.floor(runningMs / 1_000)}`;
    const known = this.#kept.get(item.key, stamp);
    if (known) return known;
    const cut = cutOf(view, row);
    const freedTokens = row ? this.#freedTokens(view, row) : 0;
    const lines =
      this.#grownLines(item, cut) ??
      layoutItem(item, {
        width: this.#width,
        theme: this.#theme,
        runningMs,
        open,
        row,
        cut,
        freedTokens,
        page,
        isAsked,
        neighbors,
        follows: at(state.items, index - 1)?.kind ?? null,
        prices: view.bills.pricesOf(modelOf(item), this.#host.rules.prices),
      });
    if (running) lines.push(...this.#tail(running.tail));
    this.#kept.set(item.key, { stamp, lines });
    return lines;
  }

  /** The lines of a complete answer as they were streamed, so that it is not laid out again. */
  #grownLines(item: Item, cut: EntryOf<"cut"> | undefined): string[] | null {
    if (item.kind !== "text" || cut) return null;
    const grown = this.#grown.find((one) => one.isGrownTo(item.text));
    return grown ? [...grown.lines(item.text)] : null;
  }

  /** Tokens removed by a cut, or left out of a preview. */
  #freedTokens(view: View, row: Row): number {
    if (row.by !== undefined) {
      // The first row of a summary has the summary's own tokens.
      const now = row.shown === "covered" ? 0 : tokensOf(view, this.#host.rules)(row);
      return wholeTokensOf(view, this.#host.rules)(row) - now;
    }
    const { entry } = row;
    if (entry.type !== "result") return 0;
    const kept = Buffer.byteLength(textOf(entry.content));
    return tokensOfText(view, this.#host.rules, "toolResults", Math.max(0, entry.bytes - kept));
  }

  #tail(tail: string): string[] {
    const lines = sanitize(tail).trimEnd().split("\n").slice(-tailLines);
    return lines
      .flatMap((line) => wrapAnywhere(line, this.#width - 4))
      .slice(-tailLines)
      .map((line) => `  ${this.#theme.paint("dim", `│ ${line}`)}`);
  }

  /** A block of the answer that is being streamed. */
  #live(state: ScreenState, block: LiveBlock | undefined): readonly string[] {
    if (block?.kind === "text") return this.#growingText(block).lines(block.text);
    if (block === undefined) return [];
    const above = last(state.items)?.kind ?? null;
    const isFirst = block === state.answer[0];
    const gap = isFirst && startsBlock("thinking", above) ? [""] : [];
    const text =
      block.kind === "thinking"
        ? this.#newest(block.text)
        : [`○ Writing a call (${block.text.length} characters)`];
    return [...gap, ...text.map((line) => this.#theme.paint("dim", line))];
  }

  #growingText({ index, text }: LiveBlock): GrowingMarkdown {
    const known = this.#growing.get(index);
    // A call that is retried begins again.
    if (known?.isGrownTo(text)) return known;
    const width = Math.min(this.#width, proseColumns);
    const growing = new GrowingMarkdown(width, this.#theme, [""]);
    this.#growing.set(index, growing);
    return growing;
  }

  #newest(thinking: string): string[] {
    const lines = sanitize(takeEnd(thinking, thinkingChars)).trimEnd().split("\n").slice(-4);
    return lines.flatMap((line) => wrapWords(line, this.#width - 2)).map((line) => `  ${line}`);
  }
}

/** The model of the answer that an item belongs to. */
const modelOf = ({ entry }: Item): string => (entry?.type === "assistant" ? entry.model : "");
