import type { CharsPerToken } from "../protocol/model.ts";
import type { Kind } from "./types.ts";
import { kinds, type CharsByKind } from "./char-count.ts";

/** The three kinds of text that tokenizers treat differently. */
type Script = keyof CharsPerToken;

const scriptOf: Record<Kind, Script> = {
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

/** How much the starting value counts against what was measured, in tokens. */
const priorTokens = 1_500;

/** Older measurements fade: a session changes its subject. */
const memory = 0.97;

/** How mixed content is told apart where nothing is known of the model. */
export const usualCharsPerToken: CharsPerToken = { prose: 3.8, code: 3, result: 2.8 };

/** What an estimate may miss by however short it is, in tokens. */
const leastError = 40;

/** Share of the calls that may lie outside the error bar; how fast its width follows what is seen. */
const outside = 0.05;
const widening = 0.2;

/** No text has fewer or more characters a token than this. */
const bounds = { least: 1.2, most: 7 };

/**
 * Characters a token, learned from the session's own usage: what came between two calls, by the
 * tokens that it added. Depends on the log alone, so a resumed session knows what a live one knows.
 */
export class Calibration {
  readonly #seen: Record<Script, { chars: number; tokens: number }> = {
    prose: { chars: 0, tokens: 0 },
    code: { chars: 0, tokens: 0 },
    result: { chars: 0, tokens: 0 },
  };
  /** Share that an estimate may miss by. */
  #width = 0.5;

  /** `tokens` of content that weighs `weight` were counted. */
  learn(weight: CharsByKind, tokens: number): void {
    const byScript = charsByScript(weight);
    const textTokens = tokens - weight.imageTokens;
    const chars = byScript.prose + byScript.code + byScript.result;
    if (textTokens < 20 || chars < 60) return;
    const estimate = this.tokens(weight, usualCharsPerToken) - weight.imageTokens;
    for (const script of ["prose", "code", "result"] as const) {
      const share =
        byScript[script] / this.ratio(script, usualCharsPerToken) / Math.max(estimate, 1);
      if (share < 0.1) continue;
      const seen = this.#seen[script];
      seen.chars = seen.chars * memory + byScript[script];
      seen.tokens = seen.tokens * memory + textTokens * share;
    }
  }

  /** `tokens` were counted where `estimated` were expected. */
  judge(estimated: number, tokens: number): void {
    // Wider with each miss, narrower with each hit: it settles where misses are as rare as wanted.
    const missed = Math.abs(estimated - tokens) > this.errorOf(estimated) ? 1 : 0;
    this.#width = Math.min(1, this.#width * Math.exp(widening * (missed - outside)));
  }

  /** Another model, another tokenizer. */
  forget(): void {
    for (const seen of Object.values(this.#seen)) Object.assign(seen, { chars: 0, tokens: 0 });
  }

  /** Characters a token of one kind of text. */
  ratio(script: Script, start: CharsPerToken): number {
    const { chars, tokens } = this.#seen[script];
    const ratio = (chars + start[script] * priorTokens) / (tokens + priorTokens);
    return Math.min(bounds.most, Math.max(bounds.least, ratio));
  }

  tokensOf(kind: Kind, chars: number, start: CharsPerToken): number {
    return chars / this.ratio(scriptOf[kind], start);
  }

  tokens(weight: CharsByKind, start: CharsPerToken): number {
    const chars = charsByScript(weight);
    return (
      chars.prose / this.ratio("prose", start) +
      chars.code / this.ratio("code", start) +
      chars.result / this.ratio("result", start) +
      weight.imageTokens
    );
  }

  /** Half the width of the range in which an estimate of so many tokens lies. */
  errorOf(tokens: number): number {
    return tokens === 0 ? 0 : leastError + Math.abs(tokens) * this.#width;
  }
}

function charsByScript(weight: CharsByKind): Record<Script, number> {
  const chars = { prose: 0, code: 0, result: 0 };
  for (const kind of kinds) if (weight[kind] > 0) chars[scriptOf[kind]] += weight[kind];
  return chars;
}
