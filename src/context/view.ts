/** The fold of the log: what the model sees, and from which entries. */

import type { Entry, EntryOf } from "../protocol/entry.ts";
import { usedBy, type Message, type Usage } from "../protocol/model.ts";
import { MessageBuilder } from "./message-builder.ts";
import { RowTable } from "./row-table.ts";
import { ThinkingWindow } from "./thinking.ts";
import type { Anchor, View } from "./types.ts";
import { charsOf, noChars, type CharsByKind } from "./char-count.ts";

/** The view of a path. Same entries, same bytes. */
export const project = (path: readonly Entry[]): View => new Projection(path).view;

/**
 * Follows a path entry by entry. An ordinary entry costs what it itself weighs, however long the
 * path is; a cut, a restore or a change of the model costs what it changes.
 */
export class Projection {
  readonly #ledger = new RowTable();
  readonly #horizon = new ThinkingWindow();
  readonly #billed: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 };
  #lastBill: Usage | null = null;
  #calls = 0;
  #assembly = new MessageBuilder();
  #assembled = 0;
  #session: EntryOf<"session"> | null = null;
  #model = "";
  #anchor: Anchor | null = null;
  /** A live look: it follows the projection. */
  readonly view: View;

  constructor(path: readonly Entry[] = []) {
    this.view = this.#look();
    for (const entry of path) this.push(entry);
  }

  push(entry: Entry): void {
    const row = this.#ledger.rows.length;
    if (entry.type === "assistant") this.#count(entry, row);
    this.#ledger.add(entry);
    this.#horizon.append(entry, row);
    this.#showThinking();
    switch (entry.type) {
      case "session":
        return this.#begin(entry);
      case "model":
        this.#ledger.tally.changeModel(this.#horizon.switched);
        return this.#changeModel(entry.model);
      case "assistant":
        return this.#answer(entry, row);
      case "count":
        return this.#anchorAt(row, entry.tokens, this.#anchor?.atMs ?? timeOf(entry.at), false);
      case "cut":
        if (entry.summary?.usage) this.#bill(entry.summary.usage);
        return this.#edit(this.#ledger.cut(entry), row, entry);
      case "restore":
        return this.#edit(this.#ledger.restore(entry), row, null);
      case "pin":
        return this.#ledger.pin(entry.entry, entry.on);
      default:
        return;
    }
  }

  #begin(entry: EntryOf<"session">): void {
    this.#session = entry;
    this.#model = entry.model;
    const system: CharsByKind = { ...noChars(), system: entry.system.length };
    const tools: CharsByKind = { ...noChars(), tools: JSON.stringify(entry.tools).length };
    this.#ledger.tally.fix(system, tools);
  }

  /** A model of ours goes on with an imported session: another program's count is none for it. */
  #changeModel(model: string): void {
    const others = `${this.#session?.imported?.agent}: `;
    const leavesOther = this.#model.startsWith(others) && !model.startsWith(others);
    this.#model = model;
    if (!leavesOther || !this.#anchor) return;
    const { tally } = this.#ledger;
    tally.forgetFraming();
    const total = tally.total();
    this.#anchor = { ...this.#anchor, usedTokens: total, countedTokens: total };
  }

  /** A cut or a restore changed the rows from `first` on; null: it changed nothing. */
  #edit(first: number | null, row: number, cut: EntryOf<"cut"> | null): void {
    if (first === null) return;
    this.#changed(first);
    // The server's own summary leaves the thinking behind it valid.
    const byServer = cut?.changes.every((change) => change.kind === "cover" && change.block);
    if (byServer) return;
    this.#horizon.edit(row, this.#ledger.hasThinking(this.#horizon.loopStart));
    this.#showThinking();
  }

  #showThinking(): void {
    this.#changed(this.#ledger.showThinkingFrom(this.#horizon.from));
  }

  /** Rows from `first` on are no longer what was sent: messages are put together anew. */
  #changed(first: number | null): void {
    if (first === null) return;
    if (first < this.#assembled) {
      this.#assembly = new MessageBuilder();
      this.#assembled = 0;
    }
    const anchor = this.#anchor;
    if (!anchor || first > anchor.row) return;
    if (anchor.changed !== null && anchor.changed.row <= first) return;
    const changed = { row: first, tokensBefore: this.#tokensBefore(first) };
    this.#anchor = { ...anchor, changed };
  }

  #tokensBefore(row: number): number {
    const { tally } = this.#ledger;
    let tokens = tally.counted.system + tally.counted.tools;
    for (let at = 0; at < row; at++) tokens += tally.tokensOf(at) ?? 0;
    return tokens;
  }

  /** The request that led to this answer held all that stands so far; the server counted it. */
  #count({ usage, stop, sentAt }: EntryOf<"assistant">, row: number): void {
    const tokens = usedBy(usage) - usage.output;
    if (stop === "failed" || tokens <= 0) return;
    this.#anchorAt(row, tokens, timeOf(sentAt), true);
  }

  #anchorAt(row: number, tokens: number, atMs: number, called: boolean): void {
    const { tally } = this.#ledger;
    if (!(tokens > 0)) return;
    tally.settle(tokens);
    this.#anchor = {
      row,
      usedTokens: tokens,
      countedTokens: tally.total(),
      atMs,
      changed: called ? null : (this.#anchor?.changed ?? null),
    };
  }

  #answer({ stop, usage }: EntryOf<"assistant">, row: number): void {
    if (stop === "failed") return;
    this.#calls++;
    this.#bill(usage);
    if (usedBy(usage) > 0) this.#lastBill = usage;
    // Some servers report a stub of a few tokens; what the answer weighs is nearer to the truth then.
    const weight = this.#ledger.rows[row]?.weight ?? noChars();
    if (usage.output > charsOf(weight) / 12) this.#ledger.tally.answer(row, usage.output);
  }

  #bill(usage: Usage): void {
    const sum = this.#billed;
    sum.input += usage.input;
    sum.cacheRead += usage.cacheRead;
    sum.cacheWrite += usage.cacheWrite;
    sum.cacheWrite1h = (sum.cacheWrite1h ?? 0) + (usage.cacheWrite1h ?? 0);
    sum.output += usage.output;
  }

  #messages(): readonly Message[] {
    for (; this.#assembled < this.#ledger.rows.length; this.#assembled++) {
      const piece = this.#ledger.pieceOf(this.#assembled);
      if (piece) this.#assembly.add(piece);
    }
    return this.#assembly.finished();
  }

  #messagesTo(row: number): readonly Message[] {
    const assembly = new MessageBuilder();
    for (let at = 0; at <= row; at++) {
      const piece = this.#ledger.pieceOf(at);
      if (piece) assembly.add(piece);
    }
    return assembly.finished();
  }

  #look(): View {
    const ledger = this.#ledger;
    const horizon = this.#horizon;
    const now = {
      session: () => this.#session,
      model: () => this.#model,
      messages: () => this.#messages(),
      anchor: () => this.#anchor,
      calls: () => this.#calls,
      lastBill: () => this.#lastBill,
    };
    return {
      rows: ledger.rows,
      cuts: ledger.cuts,
      rejected: ledger.rejected,
      tally: ledger.tally,
      billed: this.#billed,
      indexOf: ledger.indexOf,
      messagesTo: (row) => this.#messagesTo(row),
      get session() {
        return now.session();
      },
      get head() {
        return ledger.rows.at(-1)?.entry.id ?? null;
      },
      get model() {
        return now.model();
      },
      get messages() {
        return now.messages();
      },
      get staleThinking() {
        return horizon.stale;
      },
      get midLoop() {
        return horizon.midLoop;
      },
      get loopStart() {
        return horizon.loopStart;
      },
      get anchor() {
        return now.anchor();
      },
      get calls() {
        return now.calls();
      },
      get lastBill() {
        return now.lastBill();
      },
    };
  }
}

const timeOf = (at: string): number => Date.parse(at) || 0;
