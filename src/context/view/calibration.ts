/** Learns characters per token, and how far to trust an estimate. */

import type { CharsPerToken } from "../../protocol/model.ts";
import { kinds, type CharsByKind, type Kind } from "./char-count.ts";

/** The three kinds of text that tokenizers treat differently. */
type Script = keyof CharsPerToken;

const scripts: Record<Kind, Script> = {
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

/** Weight of the starting value against measurements, in tokens. */
const priorTokens = 1_500;

/** Decay of older measurements: a session changes its subject. */
const memory = 0.97;

/** Used where nothing is known about the model. */
export const defaultCharsPerToken: CharsPerToken = { prose: 3.8, code: 3, result: 2.8 };

/** Minimum error of any estimate, in tokens. */
const minError = 40;

/** Target share of calls outside the error bar, and how fast its width adapts. */
const outside = 0.05;
const widening = 0.2;

/** Plausible characters per token. */
const bounds = { min: 1.2, max: 7 };

/**
 * Characters per token, learned from the session's own usage: the characters added between two calls
 * and the tokens they cost. Depends on the log alone, so a resumed session knows what a live one knows.
 */
export class Calibration {
  readonly #seen: Record<Script, { chars: number; tokens: number }> = {
    prose: { chars: 0, tokens: 0 },
    code: { chars: 0, tokens: 0 },
    result: { chars: 0, tokens: 0 },
  };
  /** Relative error of an estimate. */
  #width = 0.5;

  /** Content of `counted` characters took `tokens`. */
  learn(counted: CharsByKind, tokens: number): void {
    const byScript = charsByScript(counted);
    const textTokens = tokens - counted.imageTokens;
    const chars = byScript.prose + byScript.code + byScript.result;
    if (textTokens < 20 || chars < 60) return;
    const estimate = this.tokens(counted, defaultCharsPerToken) - counted.imageTokens;
    for (const script of ["prose", "code", "result"] as const) {
      const share =
        byScript[script] / this.ratio(script, defaultCharsPerToken) / Math.max(estimate, 1);
      if (share < 0.1) continue;
      const seen = this.#seen[script];
      seen.chars = seen.chars * memory + byScript[script];
      seen.tokens = seen.tokens * memory + textTokens * share;
    }
  }

  /** Adapts the error bar: `tokens` were counted where `estimated` were expected. */
  adaptError(estimated: number, tokens: number): void {
    // Wider after each miss, narrower after each hit, so the share of misses settles at `outside`.
    const missed = Math.abs(estimated - tokens) > this.expectedError(estimated) ? 1 : 0;
    this.#width = Math.min(1, this.#width * Math.exp(widening * (missed - outside)));
  }

  /** Called when the tokenizer changes. */
  forget(): void {
    for (const seen of Object.values(this.#seen)) Object.assign(seen, { chars: 0, tokens: 0 });
  }

  /** Characters per token of one kind of text. */
  ratio(script: Script, start: CharsPerToken): number {
    const { chars, tokens } = this.#seen[script];
    const ratio = (chars + start[script] * priorTokens) / (tokens + priorTokens);
    return Math.min(bounds.max, Math.max(bounds.min, ratio));
  }

  textTokens(kind: Kind, chars: number, start: CharsPerToken): number {
    return chars / this.ratio(scripts[kind], start);
  }

  tokens(counts: CharsByKind, start: CharsPerToken): number {
    const chars = charsByScript(counts);
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

function charsByScript(counts: CharsByKind): Record<Script, number> {
  const chars = { prose: 0, code: 0, result: 0 };
  for (const kind of kinds) chars[scripts[kind]] += counts[kind];
  return chars;
}
