/** The fold of the log: what the model sees, and from which entries. */

import type { Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import { usedBy, type Message, type Usage } from "../protocol/model.ts";
import { Assembly } from "./assembly.ts";
import { Calibration } from "./calibration.ts";
import { Ledger } from "./ledger.ts";
import type { Anchor, View } from "./types.ts";
import { charsOf, noWeight, shift, type Weight } from "./weigh.ts";

/** The view of a path. Same entries, same bytes. */
export const project = (path: readonly Entry[]): View => new Projection(path).view;

/**
 * Follows a path entry by entry. An ordinary entry costs what it itself weighs, however long the
 * path is; a cut, a restore or a pin costs what it changes.
 */
export class Projection {
  readonly #ledger = new Ledger();
  readonly #calibration = new Calibration();
  readonly #billed: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 };
  #lastBill: Usage | null = null;
  #assembly = new Assembly();
  #assembled = 0;
  #session: EntryOf<"session"> | null = null;
  #model = "";
  #anchor: Anchor | null = null;
  #midLoop = false;
  #loopStart = 0;
  /** Thinking before this row and behind `thinkingFrom` went stale in an open loop. */
  #staleUntil: number | null = null;
  readonly view: View;

  constructor(path: readonly Entry[] = []) {
    this.view = this.#window();
    for (const entry of path) this.push(entry);
  }

  push(entry: Entry): void {
    if (entry.type === "assistant") this.#learn(entry);
    if ((entry.type === "user" || entry.type === "context") && !this.#midLoop) this.#dropStale();
    const index = this.#ledger.rows.length;
    this.#ledger.add(entry);
    switch (entry.type) {
      case "session":
        this.#session = entry;
        this.#model = entry.model;
        this.#ledger.total.system += entry.system.length;
        this.#ledger.total.tools += JSON.stringify(entry.tools).length;
        return;
      case "model":
        this.#model = entry.model;
        return this.#edited(this.#ledger.stripThinking(index));
      case "assistant":
        return this.#answered(entry, index);
      case "count":
        return this.#counted(entry.tokens, index, entry.at);
      case "cut":
        this.#bill(entry.summary?.usage);
        this.#edited(this.#ledger.cut(entry));
        return this.#strip(index);
      case "restore":
        this.#edited(this.#ledger.restore(entry));
        return this.#strip(index);
      case "pin":
        return this.#ledger.pin(entry.entry, entry.on);
      default:
        return;
    }
  }

  /**
   * Thinking is bound to what stood before it, so an edit ends the life of all that is older. In an
   * open loop the loop's own must stay (the API refuses the request otherwise): it goes stale, and
   * is taken out at the next boundary.
   */
  #strip(index: number): void {
    if (!this.#midLoop) return this.#edited(this.#ledger.stripThinking(index));
    this.#edited(this.#ledger.stripThinking(this.#loopStart));
    this.#staleUntil = index;
  }

  #dropStale(): void {
    if (this.#staleUntil === null) return;
    this.#edited(this.#ledger.stripThinking(this.#staleUntil));
    this.#staleUntil = null;
  }

  /** Rows from `row` on are no longer what was sent: messages are put together anew. */
  #edited(row: number | null): void {
    if (row === null) return;
    if (row < this.#assembled) {
      this.#assembly = new Assembly();
      this.#assembled = 0;
    }
    if (this.#anchor && row <= this.#anchor.row) {
      const before = this.#weightBefore(row);
      const known = this.#anchor.unchanged;
      if (known === null || charsOf(before) < charsOf(known)) {
        this.#anchor = { ...this.#anchor, unchanged: before };
      }
    }
  }

  #weightBefore(row: number): Weight {
    const weight = noWeight();
    weight.system = this.#ledger.total.system;
    weight.tools = this.#ledger.total.tools;
    for (const { weight: of } of this.#ledger.rows.slice(0, row)) shift(weight, of, 1);
    return weight;
  }

  /** What came since the last call weighed so much and counted so many tokens. */
  #learn({ usage, stop }: EntryOf<"assistant">): void {
    const anchor = this.#anchor;
    if (!anchor || anchor.unchanged !== null || stop === "failed" || usedBy(usage) === 0) return;
    const between = { ...this.#ledger.total };
    shift(between, anchor.weight, -1);
    this.#calibration.learn(between, usedBy(usage) - usage.output - anchor.usedTokens);
  }

  #answered(entry: EntryOf<"assistant">, index: number): void {
    if (entry.stop === "failed") return;
    const { content, usage, sentAt } = entry;
    const calls = content.some((block) => block.type === "tool_use");
    this.#midLoop = calls;
    if (!calls) this.#loopStart = index + 1;
    this.#bill(usage);
    if (usedBy(usage) === 0) return;
    this.#lastBill = usage;
    const weight = { ...this.#ledger.total };
    this.#anchor = {
      row: index,
      usedTokens: usedBy(usage) - usage.output + this.#answerTokens(usage.output, index),
      weight,
      atMs: Date.parse(sentAt),
      unchanged: null,
    };
  }

  /**
   * Tokens of an answer. Some servers and recordings report a stub of a few tokens for it; what the
   * answer weighs is nearer to the truth then.
   */
  #answerTokens(output: number, index: number): number {
    const weight = this.#ledger.rows[index]?.weight ?? noWeight();
    const estimate = charsOf(weight) / 3.5;
    return output < estimate / 3 ? Math.round(estimate) : output;
  }

  #counted(tokens: number, index: number, at: string): void {
    const weight = { ...this.#ledger.total };
    const atMs = this.#anchor?.atMs ?? Date.parse(at);
    this.#anchor = {
      row: index,
      usedTokens: tokens,
      weight,
      atMs,
      unchanged: this.#anchor?.unchanged ?? null,
    };
  }

  #bill(usage: Usage | undefined): void {
    if (!usage) return;
    const sum = this.#billed;
    sum.input += usage.input;
    sum.cacheRead += usage.cacheRead;
    sum.cacheWrite += usage.cacheWrite;
    sum.cacheWrite1h = (sum.cacheWrite1h ?? 0) + (usage.cacheWrite1h ?? 0);
    sum.output += usage.output;
  }

  #messages(): readonly Message[] {
    const { rows } = this.#ledger;
    for (; this.#assembled < rows.length; this.#assembled++) {
      const piece = this.#ledger.pieceOf(this.#assembled);
      if (piece) this.#assembly.add(piece);
    }
    return this.#assembly.finished();
  }

  /** A live look at this projection. */
  #window(): View {
    const ledger = this.#ledger;
    const self = {
      session: () => this.#session,
      model: () => this.#model,
      messages: () => this.#messages(),
      anchor: () => this.#anchor,
      midLoop: () => this.#midLoop,
      loopStart: () => this.#loopStart,
      lastBill: () => this.#lastBill,
      stale: () => this.#staleUntil,
    };
    return {
      rows: ledger.rows,
      cuts: ledger.cuts,
      rejected: ledger.rejected,
      total: ledger.total,
      calibration: this.#calibration,
      billed: this.#billed,
      indexOf: ledger.indexOf,
      get session() {
        return self.session();
      },
      get head(): EntryId | null {
        return ledger.rows.at(-1)?.entry.id ?? null;
      },
      get model() {
        return self.model();
      },
      get messages() {
        return self.messages();
      },
      get thinkingFrom() {
        return ledger.thinkingFrom;
      },
      get staleThinking() {
        const until = self.stale();
        if (until === null) return false;
        return ledger.rows.slice(ledger.thinkingFrom, until).some((row) => row.weight.thinking > 0);
      },
      get midLoop() {
        return self.midLoop();
      },
      get loopStart() {
        return self.loopStart();
      },
      get anchor() {
        return self.anchor();
      },
      get lastBill() {
        return self.lastBill();
      },
    };
  }
}
