/** The files that a summary shows: those that the session touched last, as far as they fit. */

import { effectiveWindow } from "../meter/meter.ts";
import { filesInWork } from "./files-in-work.ts";
import type { View } from "../types.ts";
import type { Span } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";

/** A file as it is on disk now. */
export type FileNow = { path: string; text: string; lines: number };

/** Candidates beyond this many are not read. */
const maxCandidates = 20;
/** A file that no call has used for longer is finished work. */
const usedWithinCalls = 80;

/** Files that a summary shows, the tokens of one of them, and of all together. */
export const maxShown = 8;
const fileTokens = 8_000;
const filesTokens = 30_000;

/** All files together take at most this share of the window. */
const maxShare = 1 / 8;

/** Chooses files within the limits of number and tokens. */
export class ActiveFiles {
  readonly chosen: FileNow[] = [];
  /** Paths to offer, the most recent first. */
  readonly candidates: readonly string[];
  /** Limits in characters: of one file, and of all that are still to be offered. */
  readonly #maxChars: number;
  #leftChars: number;

  constructor(view: View, span: Span, rules: ModelRules, policy: Policy) {
    const { code } = rules.charsPerToken;
    this.candidates = filesInWork(view, span, maxCandidates)
      .map(({ path }) => path)
      .filter((path) => (view.fileUse(path)?.callsSince ?? 0) <= usedWithinCalls);
    this.#maxChars = fileTokens * code;
    this.#leftChars = Math.min(filesTokens, effectiveWindow(rules, policy) * maxShare) * code;
  }

  get isFull(): boolean {
    return this.#leftChars <= 0 || this.chosen.length >= maxShown;
  }

  /** `text`: the file as it is now; null if it cannot be read as text. */
  offer(path: string, text: string | null): void {
    if (text === null || text.trim() === "" || this.isFull) return;
    if (text.length > Math.min(this.#maxChars, this.#leftChars)) return;
    this.#leftChars -= text.length;
    this.chosen.push({ path, text, lines: text.replace(/\n$/, "").split("\n").length });
  }
}
