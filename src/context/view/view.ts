/** Folds the log into the view: the messages for the model, and the entries behind them. */

import { Bills } from "./bills.ts";
import { sumChars, zeroChars } from "./char-count.ts";
import { withChange } from "./rows.ts";
import { ThinkingWindow } from "./thinking.ts";
import type { CachedPrefix, View } from "../types.ts";
import { MessageList } from "./messages.ts";
import { RowTable } from "./row-table.ts";
import { FileUses } from "./touches.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { usedBy, type Usage } from "../../protocol/model.ts";

/** The view of a path. Same entries, same bytes. */
export const project = (path: readonly Entry[]): View => new Projection(path).view;

/**
 * Follows a path entry by entry. An ordinary entry costs only its own size, however long the path is;
 * a cut, a restore or a change of model costs what it changes.
 */
export class Projection {
  readonly #table = new RowTable();
  readonly #thinking = new ThinkingWindow();
  readonly #prefixes: CachedPrefix[] = [];
  readonly #messages: MessageList;
  readonly #files = new FileUses();
  readonly #view: { -readonly [Key in keyof View]: View[Key] };

  /** `bills`: of the same session's other branches, which stay billed after a rewind. */
  constructor(path: readonly Entry[] = [], bills = new Bills()) {
    this.#messages = new MessageList(this.#table);
    this.#view = this.#createView(bills);
    for (const entry of path) this.push(entry);
  }

  /** Live: it changes with every entry. `version` says when. */
  get view(): View {
    return this.#view;
  }

  push(entry: Entry): void {
    const view = this.#view;
    const row = view.rows.length;
    view.version++;
    view.bills.add(entry);
    if (entry.type === "assistant") this.#count(entry, row);
    this.#table.add(entry);
    this.#files.add(entry, view);
    this.#thinking.append(entry, row);
    this.#showThinking();
    switch (entry.type) {
      case "session":
        this.#begin(entry);
        // Tools and system prompt come before all messages: nothing that was sent stays cached.
        return this.#edit(0, row, null);
      case "model":
        this.#table.tokenLedger.changeModel(this.#thinking.switched);
        return this.#changeModel(entry.model);
      case "assistant":
        return this.#answer(entry, row);
      case "count":
        if (entry.windowTokens !== undefined && entry.windowTokens > 0)
          view.reportedWindow = { tokens: entry.windowTokens, known: entry.knownWindow ?? null };
        return this.#anchorAt(row, entry.tokens, view.anchor?.atMs ?? parseTime(entry.at), false);
      case "refresh":
        if (view.anchor) view.anchor = { ...view.anchor, atMs: parseTime(entry.sentAt) };
        return;
      case "cut":
        if (isSummary(entry)) view.declinedAt = view.draft = null;
        return this.#edit(this.#table.cut(entry), row, entry);
      case "restore":
        return this.#restore(entry, row);
      case "attempt":
        if (entry.outcome === "declined") view.declinedAt = entry.usedTokens;
        if (entry.draft) view.draft = entry;
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
    this.#view.session = entry;
    this.#view.model = entry.model;
    const toolsChars = JSON.stringify(entry.tools).length;
    this.#table.tokenLedger.setFixedParts(entry.system.length, toolsChars);
  }

  /** Switches models. The token count of an imported session ends with the first model of this program. */
  #changeModel(model: string): void {
    const view = this.#view;
    const others = `${view.session?.imported?.agent}: `;
    const leavesOther = view.model.startsWith(others) && !model.startsWith(others);
    if (model !== view.model) view.reportedWindow = null;
    view.model = model;
    if (!leavesOther || !view.anchor) return;
    const { tokenLedger } = this.#table;
    tokenLedger.forgetOverhead();
    const total = tokenLedger.total();
    view.anchor = { ...view.anchor, usedTokens: total, countedTokens: total };
  }

  /** A cut or a restore changed the rows from `first` on; null: nothing changed. */
  #edit(first: number | null, row: number, cut: EntryOf<"cut"> | null): void {
    if (first === null) return;
    this.#changed(first);
    if (!cut || !this.#keepsThinking(cut)) this.#dropThinking(row);
  }

  #dropThinking(row: number): void {
    this.#thinking.edit(row, this.#table.hasThinking(this.#thinking.loopStart));
    this.#showThinking();
  }

  /** The server's own summary leaves later thinking valid, if nothing is quoted between the two. */
  #keepsThinking(cut: EntryOf<"cut">): boolean {
    const isOwn = cut.changes.every((change) => change.kind === "cover" && change.block);
    return (
      isOwn && this.#table.cuts.covers.find((cover) => cover.cut.id === cut.id)?.pinned.size === 0
    );
  }

  /** Undoes a cut, or takes that back. A summary that was undone is as good as declined. */
  #restore(entry: EntryOf<"restore">, row: number): void {
    const first = this.#table.restore(entry);
    const cut = this.#table.entryAt(this.#table.indexOf(entry.cut) ?? -1);
    if (first !== null && entry.entry === undefined && cut?.type === "cut" && isSummary(cut))
      this.#view.declinedAt = entry.redo ? null : entry.price.usedAfter;
    this.#edit(first, row, null);
  }

  #repair(entry: EntryOf<"repair">, row: number): void {
    this.#edit(this.#table.repair(entry), row, null);
    if (entry.dropsThinking) this.#dropThinking(row);
  }

  #showThinking(): void {
    this.#changed(this.#table.showThinkingFrom(this.#thinking.from));
  }

  /** Rows from `first` on differ from what was sent: the messages are built again. */
  #changed(first: number | null): void {
    if (first === null) return;
    this.#messages.changed(first);
    const { anchor } = this.#view;
    if (anchor) this.#view.anchor = withChange(anchor, first, this.#view);
    this.#forgetPrefixes(({ rows }) => rows > first);
  }

  #forgetPrefixes(isGone: (prefix: CachedPrefix) => boolean): void {
    this.#prefixes.length = this.#prefixes.findLastIndex((prefix) => !isGone(prefix)) + 1;
  }

  /** Earlier prefixes that this call did not read are gone; all that it sent is a new one. */
  #cache({ cacheRead, cacheWrite }: Usage, rows: number, tokens: number): void {
    if (this.#prefixes.length === 0 && cacheWrite === 0) return;
    this.#view.cachedPrefixes = this.#prefixes;
    this.#forgetPrefixes((prefix) => prefix.tokens * readShare > cacheRead);
    this.#prefixes.push({ rows, tokens });
  }

  /** The server counted the request that led to this answer: everything in the view so far. */
  #count({ usage, stop, sentAt }: EntryOf<"assistant">, row: number): void {
    if (stop === "failed") return;
    const tokens = usedBy(usage) - usage.output;
    if (!this.#table.tokenLedger.isPlausible(tokens)) return;
    // The window has grown since.
    if (tokens > (this.#view.reportedWindow?.tokens ?? tokens)) this.#view.reportedWindow = null;
    this.#anchorAt(row, tokens, parseTime(sentAt), true);
    this.#cache(usage, row, tokens);
  }

  #anchorAt(row: number, tokens: number, atMs: number, called: boolean): void {
    const { tokenLedger } = this.#table;
    if (tokens <= 0) return;
    tokenLedger.count(tokens);
    this.#view.anchor = {
      row,
      model: called ? this.#view.model : (this.#view.anchor?.model ?? this.#view.model),
      usedTokens: tokens,
      countedTokens: tokenLedger.total(),
      atMs,
      changed: called ? null : (this.#view.anchor?.changed ?? null),
    };
  }

  #answer({ stop, usage }: EntryOf<"assistant">, row: number): void {
    if (stop === "failed") return;
    this.#view.calls++;
    if (usedBy(usage) > 0) this.#view.lastUsage = usage;
    // Some servers report only a few tokens; an estimate from the characters is better then.
    const chars = this.#table.rows[row]?.charsByKind ?? zeroChars;
    if (usage.output > sumChars(chars) / 12) this.#table.tokenLedger.countAnswer(row, usage.output);
  }

  #createView(bills: Bills): View {
    const table = this.#table;
    const thinking = this.#thinking;
    const messages = this.#messages;
    return {
      path: table.path,
      rows: table.rows,
      session: null,
      get head() {
        return table.entryAt(table.rows.length - 1)?.id ?? null;
      },
      model: "",
      get messages() {
        return messages.all();
      },
      fileUse: (path) => this.#files.get(path),
      isRestored: table.isRestored,
      indexOf: table.indexOf,
      get covers() {
        return table.cuts.covers;
      },
      get cuts() {
        return table.cuts.standing;
      },
      declinedAt: null,
      draft: null,
      rejected: table.rejected,
      messagesTo: (row) => messages.upTo(row),
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
      tokenCounts: table.tokenLedger,
      anchor: null,
      cachedPrefixes: null,
      reportedWindow: null,
      version: 0,
      calls: 0,
      bills,
      lastUsage: null,
    };
  }
}

/** Servers' counts of cached tokens differ slightly. */
const readShare = 0.98;

const isSummary = ({ changes }: EntryOf<"cut">): boolean =>
  changes.some(({ kind }) => kind === "cover");

const parseTime = (at: string): number => Date.parse(at) || 0;

/** A log that grows. `path` is a new array when the head moves; `entries`: of all branches. */
export type Recorded = {
  readonly path: readonly Entry[];
  readonly entries: readonly Entry[];
};

/** The view of a growing log. Everything that shows the same session shares one. */
export class LiveView {
  readonly log: Recorded;
  readonly #bills = new Bills();
  #path: readonly Entry[] = [];
  #projection = new Projection([], this.#bills);
  /** Entries of the log that were processed, and how many of them are on the path. */
  #seen = 0;
  #pushed = 0;

  constructor(log: Recorded) {
    this.log = log;
  }

  get view(): View {
    this.#follow();
    return this.#projection.view;
  }

  #follow(): void {
    const { path, entries } = this.log;
    if (path !== this.#path) {
      this.#path = path;
      this.#projection = new Projection([], this.#bills);
      [this.#seen, this.#pushed] = [0, 0];
    }
    for (let entry = entries[this.#seen]; entry; entry = entries[++this.#seen]) {
      // Other branches stay billed after a rewind.
      if (entry.id !== path[this.#pushed]?.id) this.#bills.add(entry);
      else {
        this.#projection.push(entry);
        this.#pushed++;
      }
    }
  }
}
