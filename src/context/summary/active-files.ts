/** The files that a summary shows: those that the session touched last. */

import type { Span } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { effectiveWindow } from "../meter/meter.ts";
import type { View } from "../types.ts";
import { readEditHistory, excerpt, type EditHistory } from "./excerpt.ts";
import { filesInWork } from "./files-in-work.ts";
import type { FileNow } from "./verbatim.ts";

/** Candidates beyond this many are not read. */
const maxCandidates = 20;

/** All files together take at most this share of the window. */
const maxShare = 1 / 8;

/**
 * Chooses files within the policy's limits of number and tokens. A large file is shown as its
 * outline; outlines and parts do not count toward the number of files.
 */
export class ActiveFiles {
  readonly chosen: FileNow[] = [];
  /** Paths to offer, the most recent first. */
  readonly candidates: readonly string[];
  readonly #history: EditHistory;
  readonly #policy: Policy;
  readonly #rules: ModelRules;
  #leftChars: number;
  #wholeFiles = 0;

  constructor(view: View, span: Span, rules: ModelRules, policy: Policy) {
    this.candidates = filesInWork(view, span, maxCandidates).map(({ path }) => path);
    this.#history = readEditHistory(view);
    this.#policy = policy;
    this.#rules = rules;
    const tokens = Math.min(policy.summary.filesTokens, effectiveWindow(rules, policy) * maxShare);
    this.#leftChars = tokens * rules.charsPerToken.code;
  }

  get isFull(): boolean {
    return this.#leftChars <= 0;
  }

  /** `text`: the file as it is now; null if it cannot be read as text. */
  offer(path: string, text: string | null): void {
    if (text === null || text.trim() === "") return;
    const { summary } = this.#policy;
    const { charsPerToken } = this.#rules;
    const largeChars = Math.min(summary.fileTokens * charsPerToken.code, this.#leftChars);
    const shown = excerpt(path, text, largeChars, this.#history, this.#policy);
    if (!shown || shown.text.length > this.#leftChars) return;
    if (!shown.isPart && this.#wholeFiles >= summary.files) return;
    this.#leftChars -= shown.text.length;
    if (!shown.isPart) this.#wholeFiles++;
    const lines = text.replace(/\n$/, "").split("\n").length;
    this.chosen.push({ path, text: shown.text, lines, outline: shown.isPart });
  }
}
