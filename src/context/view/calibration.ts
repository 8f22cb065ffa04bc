/** Learns characters per token, and how far to trust an estimate. */

import type { CharsPerToken } from "../../protocol/model.ts";
import { kinds, type CharsByKind, type Kind } from "./char-count.ts";

/** Classes of text with distinct characters per token. */
type TextClass = keyof CharsPerToken;

const classOf: Record<Kind, TextClass> = {
  system: "prose",
  tools: "code",
  instructions: "prose",
  user: "prose",
  assistant: "prose",
  thinking: "prose",
  toolInputs: "code",
  toolResults: "result",
  summary: "prose",
};

/** Weight of the default ratio, as if it had been measured over this many tokens. */
const priorTokens = 1_500;

/** Factor applied to older measurements at each new one, since sessions change topic. */
const decay = 0.97;

/** Used where nothing is known about the model. */
export const defaultCharsPerToken: CharsPerToken = { prose: 3.8, code: 3, result: 2.8 };

/** Minimum error of any estimate, in tokens. */
const minError = 40;

/** Target share of calls outside the error bar, and how fast its width adapts. */
const targetMissRate = 0.05;
const adaptRate = 0.2;

/** Plausible characters per token. */
const bounds = { min: 1.2, max: 7 };

/**
 * Characters per token, learned from the session's own usage: the characters added between two calls
 * and the tokens they cost. Depends on the log alone, so a resumed session knows what a live one knows.
 */
export class Calibration {
  readonly #seen: Record<TextClass, { chars: number; tokens: number }> = {
    prose: { chars: 0, tokens: 0 },
    code: { chars: 0, tokens: 0 },
    result: { chars: 0, tokens: 0 },
  };
  /** Relative error of an estimate. */
  #width = 0.5;

  /** Records the `tokens` that content of these character counts cost. */
  learn(counted: CharsByKind, tokens: number): void {
    const byClass = charsByClass(counted);
    const textTokens = tokens - counted.imageTokens;
    const chars = byClass.prose + byClass.code + byClass.result;
    if (textTokens < 20 || chars < 60) return;
    const estimate = this.tokens(counted, defaultCharsPerToken) - counted.imageTokens;
    for (const textClass of ["prose", "code", "result"] as const) {
      const share = byClass[textClass] / this.ratio(textClass, defaultCharsPerToken) / estimate;
      if (share < 0.1) continue;
      const seen = this.#seen[textClass];
      seen.chars = seen.chars * decay + byClass[textClass];
      seen.tokens = seen.tokens * decay + textTokens * share;
    }
  }

  /** Adapts the error bar to the measured `tokens` of an estimate. */
  adaptError(estimated: number, tokens: number): void {
    // Wider after each miss, narrower after each hit, so the miss rate settles at its target.
    const missed = Math.abs(estimated - tokens) > this.expectedError(estimated) ? 1 : 0;
    this.#width = Math.min(1, this.#width * Math.exp(adaptRate * (missed - targetMissRate)));
  }

  /** Called when the tokenizer changes. */
  forget(): void {
    for (const seen of Object.values(this.#seen)) Object.assign(seen, { chars: 0, tokens: 0 });
  }

  /** Characters per token of a text class, blended with its default `start`. */
  ratio(textClass: TextClass, start: CharsPerToken): number {
    const { chars, tokens } = this.#seen[textClass];
    const ratio = (chars + start[textClass] * priorTokens) / (tokens + priorTokens);
    return Math.min(bounds.max, Math.max(bounds.min, ratio));
  }

  textTokens(kind: Kind, chars: number, start: CharsPerToken): number {
    return chars / this.ratio(classOf[kind], start);
  }

  tokens(counts: CharsByKind, start: CharsPerToken): number {
    const chars = charsByClass(counts);
    return (
      chars.prose / this.ratio("prose", start) +
      chars.code / this.ratio("code", start) +
      chars.result / this.ratio("result", start) +
      counts.imageTokens
    );
  }

  /** Half the width of the error bar of an estimate, in tokens. */
  expectedError(tokens: number): number {
    return tokens === 0 ? 0 : minError + Math.abs(tokens) * this.#width;
  }
}

function charsByClass(counts: CharsByKind): Record<TextClass, number> {
  const chars = { prose: 0, code: 0, result: 0 };
  for (const kind of kinds) chars[classOf[kind]] += counts[kind];
  return chars;
}
