/** Writes an answer: signs its thinking, truncates it at its limit, counts its tokens. */

import type { AnswerBlock, Said } from "./answers.ts";
import { chain, stable, type Piece } from "./pieces.ts";
import type { ApiBlock } from "./schema.ts";
import type { Seals, Standing } from "./seals.ts";
import { invalid } from "./refusal.ts";
import { countTokens } from "./tokens.ts";

export type Written = {
  /** The blocks, each with the JSON that is streamed for it if it is a call. */
  blocks: { block: ApiBlock; json: string }[];
  stop: string;
  outputTokens: number;
  /** Of a compaction. */
  summaryTokens?: number;
};

export class Writer {
  readonly #seals: Seals;
  #calls = 0;
  /** All encrypted content that was sent; only this may come back. */
  readonly #encrypted = new Set<string>();

  constructor(seals: Seals) {
    this.#seals = seals;
  }

  /** `room`: the maximum of tokens, and the stop reason when it is reached. */
  write(
    { content, stop }: Said,
    model: string,
    start: Standing,
    display: "summarized" | "omitted",
    room: { tokens: number; stop: string },
  ): Written {
    const blocks: Written["blocks"] = [];
    let standing = start;
    let left = room.tokens;
    let outputTokens = 0;
    for (const wanted of content) {
      if (wanted.type === "search") {
        for (const block of this.#search(wanted)) {
          blocks.push({ block, json: "" });
          standing = after(standing, block, null);
        }
        continue;
      }
      const tokens = countBlock(wanted);
      const isCut = tokens > left;
      if (isCut && wanted.type === "thinking") break;
      const share = isCut ? left / tokens : 1;
      const made = this.#make(wanted, share, model, standing, display);
      if (made !== null) {
        blocks.push(made);
        standing = after(standing, made.block, made.id);
      }
      outputTokens += Math.min(tokens, left);
      left -= tokens;
      if (isCut) break;
    }
    const calls = content.some(({ type }) => type === "tool_use");
    return {
      blocks,
      outputTokens: Math.max(1, outputTokens),
      stop: left < 0 ? room.stop : (stop ?? (calls ? "tool_use" : "end_turn")),
    };
  }

  /** Throws a `Refusal` for results that differ from what was sent. */
  check(blocks: readonly ApiBlock[]): void {
    for (const block of blocks) {
      if (block.type !== "web_search_tool_result" || !Array.isArray(block.content)) continue;
      if (!block.content.every((one) => this.#encrypted.has(stable(one))))
        throw invalid("Invalid `encrypted_content` in `web_search_tool_result` block");
    }
  }

  #search({ query, found }: Extract<AnswerBlock, { type: "search" }>): ApiBlock[] {
    this.#calls += 1;
    const id = `srvtoolu_fake${String(this.#calls).padStart(6, "0")}`;
    const results = (typeof found === "string" ? [] : found).map((one, at) => ({
      type: "web_search_result" as const,
      ...one,
      encrypted_content: Bun.hash(`${id} ${at} ${one.url}`).toString(36),
      page_age: null,
    }));
    for (const one of results) this.#encrypted.add(stable(one));
    return [
      { type: "server_tool_use", id, name: "web_search", input: { query } },
      {
        type: "web_search_tool_result",
        tool_use_id: id,
        content:
          typeof found === "string"
            ? { type: "web_search_tool_result_error", error_code: found }
            : results,
      },
    ];
  }

  #make(
    wanted: Exclude<AnswerBlock, { type: "search" }>,
    share: number,
    model: string,
    standing: Standing,
    display: "summarized" | "omitted",
  ): { block: ApiBlock; json: string; id: string | null } | null {
    switch (wanted.type) {
      case "text": {
        const text = wanted.text.slice(0, Math.floor(wanted.text.length * share));
        return text === "" ? null : { block: { type: "text", text }, json: "", id: null };
      }
      case "thinking": {
        const thinking = display === "omitted" ? "" : wanted.thinking;
        const { seal, id } = this.#seals.sign(thinking, model, standing);
        return { block: { type: "thinking", thinking, signature: seal }, json: "", id };
      }
      case "redacted_thinking": {
        const { seal, id } = this.#seals.sign("", model, standing);
        return { block: { type: "redacted_thinking", data: seal }, json: "", id };
      }
      case "tool_use": {
        this.#calls += 1;
        const { name, input = {} } = wanted;
        const whole = wanted.json ?? JSON.stringify(input);
        return {
          block: {
            type: "tool_use",
            id: wanted.id ?? `toolu_fake${String(this.#calls).padStart(6, "0")}`,
            name,
            input: { ...input },
          },
          json: whole.slice(0, Math.floor(whole.length * share)),
          id: null,
        };
      }
    }
  }
}

function countBlock(block: Exclude<AnswerBlock, { type: "search" }>): number {
  switch (block.type) {
    case "text":
      return countTokens(block.text) + 3;
    case "thinking":
      return countTokens(block.thinking) + 3;
    case "redacted_thinking":
      return 50;
    case "tool_use":
      return countTokens(block.json ?? JSON.stringify(block.input ?? {})) + 5;
  }
}

/** As `Seals.check` will walk it when the answer comes back. */
function after(standing: Standing, block: ApiBlock, id: string | null): Standing {
  if (id !== null) return { ...standing, previous: id };
  const piece: Pick<Piece, "part" | "text"> = { part: "assistant", text: stable(block) };
  return { ...standing, prefix: chain(standing.prefix, piece) };
}
