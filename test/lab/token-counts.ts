/** Tokens that the server counted in one of our sessions, block by block. */

import { toBlocks } from "../../src/context/view/blocks.ts";
import type { AssistantBlock, Block } from "../../src/protocol/block.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { countChars, hashBlock } from "./prompt-prefix.ts";
import type { Before, RecordedCounts } from "./recording.ts";

/**
 * Follows a log call by call. Each call's prompt counts what was added since the call before it; that
 * number is divided by characters. After a cut the count is unknown, so the average of the rest of the
 * session is used.
 */
export class TokenCounts {
  readonly #tokens = new Map<number, number>();
  #headTokens = 0;
  readonly #headChars: number;
  #before = 0;
  #chars = 0;
  #sum = 0;

  /** `headChars`: of the system prompt and the tools. */
  constructor(headChars: number) {
    this.#headChars = headChars;
  }

  /** `isCut`: the view was changed since the call before. */
  call(
    answer: readonly AssistantBlock[],
    before: readonly Before[],
    promptTokens: number,
    isCut: boolean,
  ): void {
    const blocks: Block[] = [...answer, ...before.flatMap((fact) => listSent(fact))];
    const isFirst = this.#before === 0;
    const chars = blocks.reduce((sum, block) => sum + countChars(block), 0);
    const came = promptTokens - this.#before;
    this.#before = promptTokens;
    if (isCut || came <= 0 || chars === 0) return;
    const all = chars + (isFirst ? this.#headChars : 0);
    if (isFirst) this.#headTokens = (came * this.#headChars) / all;
    this.#chars += all;
    this.#sum += came;
    for (const block of blocks)
      this.#tokens.set(hashBlock(block), (came * countChars(block)) / all);
  }

  /** Null: the server counted nothing. */
  result(): RecordedCounts | null {
    if (this.#sum === 0) return null;
    return {
      headTokens: this.#headTokens,
      charsPerToken: this.#chars / this.#sum,
      tokens: this.#tokens,
    };
  }
}

const listSent = (fact: Fact): Block[] =>
  toBlocks({ id: "", parent: null, at: "", ...fact }, {})?.blocks ?? [];
