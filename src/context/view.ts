/** The fold of the log: what the model sees, and from which entries. */

import type { Entry, EntryOf } from "../protocol/entry.ts";
import { ttlMs, usedBy, type Usage } from "../protocol/model.ts";
import { withChange } from "./anchor.ts";
import { Bills } from "./bills.ts";
import { History } from "./history.ts";
import { MessageList } from "./message-list.ts";
import { RowTable } from "./row-table.ts";
import { ThinkingWindow } from "./thinking.ts";
import { FileUses } from "./touches.ts";
import type { Anchor, ReportedWindow, View } from "./types.ts";
import { charsOf, newCharsByKind, type CharsByKind } from "./char-count.ts";

/** The view of a path. Same entries, same bytes. */
export const project = (path: readonly Entry[]): View => new Projection(path).view;

/**
 * Follows a path entry by entry. An ordinary entry costs only its own size, however long the path is;
 * a cut, a restore or a change of model costs what it changes.
 */
export class Projection {
  readonly #table: RowTable;
  readonly #thinking = new ThinkingWindow();
  #lastUsage: Usage | null = null;
  #calls = 0;
  #version = 0;
  #wentCold = false;
  #reportedWindow: ReportedWindow | null = null;
  #declinedAt: number | null = null;
  readonly #messages: MessageList;
  #session: EntryOf<"session"> | null = null;
  #model = "";
  #anchor: Anchor | null = null;
  /** Live: it changes with every entry. `version` says when. */
  readonly view: View;
  readonly bills: Bills;
  readonly #files = new FileUses();
  readonly #history = new History();

  /**
   * `bills`: of the same session's other branches, which stay billed after a rewind. `source`: the path
   * that is pushed, entry by entry, so that it need not be kept here.
   */
  constructor(path: readonly Entry[] = [], bills = new Bills(), source?: readonly Entry[]) {
    this.bills = bills;
    this.#table = new RowTable(source);
    this.#messages = new MessageList(this.#table);
    this.view = this.#createView();
    for (const entry of path) this.push(entry);
  }

  push(entry: Entry): void {
    const row = this.#table.rows.length;
    this.#version++;
    this.bills.add(entry);
    this.#wentCold ||= this.#anchor !== null && timeOf(entry.at) - this.#anchor.atMs > ttlMs["5m"];
    if (entry.type === "assistant") this.#count(entry, row);
    this.#table.add(entry);
    this.#history.add(entry, row);
    this.#files.add(entry, this.view);
    this.#thinking.append(entry, row);
    this.#showThinking();
    switch (entry.type) {
      case "session":
        this.#begin(entry);
        // Other tools and another system prompt precede everything that was sent.
        return this.#edit(row === 0 ? null : 0, row, null);
      case "model":
        this.#table.tokenLedger.changeModel(this.#thinking.switched);
        return this.#changeModel(entry.model);
      case "assistant":
        return this.#answer(entry, row);
      case "count":
        if (entry.windowTokens !== undefined && entry.windowTokens > 0)
          this.#reportedWindow = {
            tokens: entry.windowTokens,
            known: entry.knownWindow ?? null,
          };
        return this.#anchorAt(row, entry.tokens, this.#anchor?.atMs ?? timeOf(entry.at), false);
      case "refresh":
        if (this.#anchor) this.#anchor = { ...this.#anchor, atMs: timeOf(entry.sentAt) };
        return;
      case "cut":
        if (isSummary(entry)) this.#declinedAt = null;
        return this.#edit(this.#table.cut(entry), row, entry);
      case "restore":
        if (this.#undoesSummary(entry)) this.#declinedAt = entry.price.usedAfter;
        return this.#edit(this.#table.restore(entry), row, null);
      case "attempt":
        if (entry.outcome === "declined") this.#declinedAt = entry.usedTokens;
        return;
      case "repair":
        return this.#repair(entry, row);
      case "pin":
        return this.#table.pin(entry.entry, entry.on);
      default:
        return;
    }
  }

  #begin(entry: EntryOf<"session">): void {
    this.#session = entry;
    this.#model = entry.model;
    const system: CharsByKind = { ...newCharsByKind(), system: entry.system.length };
    const tools: CharsByKind = { ...newCharsByKind(), tools: JSON.stringify(entry.tools).length };
    this.#table.tokenLedger.setFixedParts(system, tools);
  }

  /** When our model takes over an imported session, the other program's count no longer applies. */
  #changeModel(model: string): void {
    const others = `${this.#session?.imported?.agent}: `;
    const leavesOther = this.#model.startsWith(others) && !model.startsWith(others);
    if (model !== this.#model) this.#reportedWindow = null;
    this.#model = model;
    if (!leavesOther || !this.#anchor) return;
    const { tokenLedger } = this.#table;
    tokenLedger.forgetOverhead();
    const total = tokenLedger.total();
    this.#anchor = { ...this.#anchor, usedTokens: total, countedTokens: total };
  }

  /** A cut or a restore changed the rows from `first` on; null: nothing changed. */
  #edit(first: number | null, row: number, cut: EntryOf<"cut"> | null): void {
    if (first === null) return;
    this.#changed(first);
    if (cut && this.#keepsThinking(cut)) return;
    this.#thinking.edit(row, this.#table.hasThinking(this.#thinking.loopStart));
    this.#showThinking();
  }

  /** The server's own summary leaves later thinking valid, if nothing is quoted between the two. */
  #keepsThinking(cut: EntryOf<"cut">): boolean {
    const isOwn = cut.changes.every((change) => change.kind === "cover" && change.block);
    return isOwn && this.#table.covers.find((one) => one.cut.id === cut.id)?.pinned.size === 0;
  }

  #undoesSummary({ cut: id, entry }: EntryOf<"restore">): boolean {
    const cut = this.#table.cuts.find((one) => one.id === id);
    return entry === undefined && cut !== undefined && isSummary(cut);
  }

  #repair(entry: EntryOf<"repair">, row: number): void {
    this.#edit(this.#table.repair(entry), row, null);
    for (const block of entry.blocks) this.#history.changed(this.#table.indexOf(block.entry) ?? -1);
    if (!entry.dropsThinking) return;
    this.#thinking.edit(row, this.#table.hasThinking(this.#thinking.loopStart));
    this.#showThinking();
  }

  #showThinking(): void {
    this.#changed(this.#table.showThinkingFrom(this.#thinking.from));
  }

  /** Rows from `first` on differ from what was sent: the messages are built again. */
  #changed(first: number | null): void {
    if (first === null) return;
    this.#messages.changed(first);
    const { tokenLedger: tokenCounts, after } = this.#table;
    if (this.#anchor) this.#anchor = withChange(this.#anchor, first, { tokenCounts, after });
  }

  /** The server counted the request that led to this answer: everything in the view so far. */
  #count({ usage, stop, sentAt }: EntryOf<"assistant">, row: number): void {
    if (stop === "failed") return;
    const tokens = usedBy(usage) - usage.output;
    // The window has grown since.
    if (tokens > (this.#reportedWindow?.tokens ?? tokens)) this.#reportedWindow = null;
    this.#anchorAt(row, tokens, timeOf(sentAt), true);
  }

  #anchorAt(row: number, tokens: number, atMs: number, called: boolean): void {
    const { tokenLedger } = this.#table;
    if (tokens <= 0) return;
    tokenLedger.count(tokens);
    this.#anchor = {
      row,
      usedTokens: tokens,
      countedTokens: tokenLedger.total(),
      atMs,
      changed: called ? null : (this.#anchor?.changed ?? null),
    };
  }

  #answer({ stop, usage }: EntryOf<"assistant">, row: number): void {
    if (stop === "failed") return;
    this.#calls++;
    if (usedBy(usage) > 0) this.#lastUsage = usage;
    // Some servers report only a few tokens; an estimate from the characters is better then.
    const chars = this.#table.rows[row]?.charsByKind ?? newCharsByKind();
    if (usage.output > charsOf(chars) / 12) this.#table.tokenLedger.countAnswer(row, usage.output);
  }

  #createView(): View {
    const table = this.#table;
    const thinking = this.#thinking;
    const now = {
      session: () => this.#session,
      model: () => this.#model,
      messages: () => this.#messages.all(),
      anchor: () => this.#anchor,
      calls: () => this.#calls,
      version: () => this.#version,
      wentCold: () => this.#wentCold,
      reportedWindow: () => this.#reportedWindow,
      declinedAt: () => this.#declinedAt,
      lastBill: () => this.#lastUsage,
    };
    return {
      path: table.path,
      rows: table.rows,
      cuts: table.cuts,
      rejected: table.rejected,
      history: this.#history,
      fileUse: (path) => this.#files.get(path),
      tokenCounts: table.tokenLedger,
      bills: this.bills,
      after: table.after,
      messagesBetween: table.messagesBetween,
      indexOf: table.indexOf,
      isRestored: table.isRestored,
      get covers() {
        return table.covers;
      },
      messagesTo: (row) => this.#messages.upTo(row),
      get session() {
        return now.session();
      },
      get sentFrom() {
        return table.sentFrom;
      },
      get oldestLarge() {
        return table.oldestLarge;
      },
      get head() {
        return table.entryAt(table.rows.length - 1)?.id ?? null;
      },
      get model() {
        return now.model();
      },
      get messages() {
        return now.messages();
      },
      get staleThinking() {
        return thinking.stale;
      },
      get thinkingFrom() {
        return thinking.from;
      },
      get midLoop() {
        return thinking.midLoop;
      },
      get loopStart() {
        return thinking.loopStart;
      },
      get anchor() {
        return now.anchor();
      },
      get version() {
        return now.version();
      },
      get reportedWindow() {
        return now.reportedWindow();
      },
      get declinedAt() {
        return now.declinedAt();
      },
      get wentCold() {
        return now.wentCold();
      },
      get calls() {
        return now.calls();
      },
      get lastUsage() {
        return now.lastBill();
      },
    };
  }
}

const isSummary = ({ changes }: EntryOf<"cut">): boolean =>
  changes.some(({ kind }) => kind === "cover");

const timeOf = (at: string): number => Date.parse(at) || 0;
