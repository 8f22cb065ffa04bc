/**
 * What the API would refuse of a request, for requests as long as recorded sessions make them: every
 * block is counted and hashed once. Written apart from the code that builds requests.
 */

import type { Block } from "../../../src/protocol/block.ts";
import type { ModelRequest } from "../../../src/protocol/model.ts";
import { brokenRules } from "../../context/api-rules.ts";

/** Words with the space before them, numbers and signs: roughly the units of a tokenizer. */
const token = / ?\p{L}{1,7}| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]{1,2}|\s+/gu;

type Known = { hash: bigint; tokens: number };
type Bond = { prefix: bigint; before: string | null };

export type Verdict = { tokens: number; broken: string[]; dropped: number };

export class StrictServer {
  readonly #texts = new Map<bigint, number>();
  readonly #bonds = new Map<string, Bond>();
  readonly #ofCall = new Map<string, string[]>();
  readonly #blocks = new WeakMap<object, Known>();
  #fixed: bigint | null = null;
  #fixedTokens = 0;

  /** Records a request and its answer. */
  take(request: ModelRequest, answer: readonly Block[]): Verdict {
    const broken = brokenRules(request.messages);
    const { system, tools, messages } = request;
    const fixed = JSON.stringify([system.map(({ text }) => text), tools]);
    const head = Bun.hash.xxHash64(fixed);
    if (this.#fixed === null) this.#fixedTokens = countTokens(fixed);
    else if (this.#fixed !== head) broken.push("system or tools changed");
    this.#fixed = head;
    const marked = [...system, ...tools, ...messages.flatMap(({ content }) => content)].filter(
      ({ cache_control }) => cache_control,
    );
    if (marked.length > 4) broken.push(`${marked.length} cache marks`);
    if (marked.some((block) => "type" in block && /thinking/.test(String(block.type))))
      broken.push("thinking carries a mark");
    if (request.maxTokens < 1) broken.push("no room for an answer");
    let prefix = head;
    let tokens = this.#fixedTokens;
    let last: string | null = null;
    let seen = false;
    let dropped = 0;
    for (const { role, content } of messages) {
      for (const block of content) {
        const known = this.#know(block);
        tokens += known.tokens;
        if (block.type !== "thinking") {
          prefix = Bun.hash.xxHash64(`${role}${known.hash}`, prefix);
          continue;
        }
        const bond = this.#bonds.get(block.signature);
        const valid = bond?.prefix === prefix && (!seen || bond.before === last);
        if (valid) {
          seen = true;
          last = block.signature;
        } else if (request.dropStaleThinking) dropped++;
        else broken.push("thinking is bound to a different conversation");
      }
    }
    broken.push(...this.#latestTurn(request));
    for (const block of answer) {
      if (block.type !== "thinking") continue;
      this.#bonds.set(block.signature, { prefix, before: last });
      last = block.signature;
    }
    const signatures = answer.flatMap((one) => (one.type === "thinking" ? [one.signature] : []));
    for (const block of answer)
      if (block.type === "tool_use") this.#ofCall.set(block.id, signatures);
    return { tokens, broken, dropped };
  }

  /** The billed tokens of an answer. */
  tokensOf = (blocks: readonly Block[]): number =>
    blocks.reduce((sum, block) => sum + this.#know(block).tokens, 0);

  #know(block: Block): Known {
    const known = this.#blocks.get(block);
    if (known) return known;
    const text = JSON.stringify({ ...block, cache_control: undefined });
    const hash = Bun.hash.xxHash64(text);
    const tokens = this.#texts.get(hash) ?? countTokens(readText(block));
    this.#texts.set(hash, tokens);
    const now = { hash, tokens };
    this.#blocks.set(block, now);
    return now;
  }

  /**
   * The thinking of the answer that called the tools whose results are sent now is present and
   * unchanged.
   */
  #latestTurn({ messages }: ModelRequest): string[] {
    const begun = messages.findLastIndex(
      ({ role, content }) => role === "user" && content.every(({ type }) => type !== "tool_result"),
    );
    return messages.slice(begun + 1).flatMap(({ content }) => {
      const here = new Set(content.flatMap((b) => (b.type === "thinking" ? [b.signature] : [])));
      return content.flatMap((block) => {
        const made = block.type === "tool_use" ? (this.#ofCall.get(block.id) ?? []) : [];
        return made
          .filter((one) => !here.has(one))
          .map(() => "thinking of the latest turn is gone");
      });
    });
  }
}

/** The text of a block, as a model reads it. */
function readText(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "tool_use":
      return `${block.name} ${block.id} ${JSON.stringify(block.input)}`;
    case "tool_result":
      return `${block.tool_use_id}\n${block.content.map(readText).join("\n")}`;
    default:
      return JSON.stringify(block);
  }
}

const countTokens = (text: string): number => text.match(token)?.length ?? 0;
