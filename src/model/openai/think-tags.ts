/** Thoughts that arrive as text between tags, from a server that does not take them out. */

type Piece = { kind: "text" | "thinking"; text: string };

/** Tags of Qwen, DeepSeek and many others; of Mistral, Seed, Kimi-VL, Cohere, gpt-oss. */
const tags: readonly (readonly [open: string, close: string])[] = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["[THINK]", "[/THINK]"],
  ["<seed:think>", "</seed:think>"],
  ["\u25c1think\u25b7", "\u25c1/think\u25b7"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|channel|>analysis<|message|>", "<|end|>"],
];

/** Splits a text as it grows. Tags count at its start only: elsewhere they may be quoted. */
export class ThinkTags {
  #held = "";
  #state: "start" | "inside" | "text" = "start";
  #close = "";

  *feed(piece: string): Generator<Piece, void> {
    this.#held += piece;
    if (this.#state === "start") {
      const text = this.#held.trimStart();
      const found = tags.find(([open]) => text.startsWith(open));
      if (found) {
        this.#state = "inside";
        this.#close = found[1];
        this.#held = text.slice(found[0].length);
      } else if (text !== "" && !tags.some(([open]) => open.startsWith(text))) this.#state = "text";
      else return;
    }
    if (this.#state === "inside") {
      const end = this.#held.indexOf(this.#close);
      // The last characters may be the beginning of the tag.
      const safe = end === -1 ? this.#held.length - (this.#close.length - 1) : end;
      const text = this.#held.slice(0, Math.max(0, safe));
      if (text !== "") yield { kind: "thinking", text };
      this.#held = this.#held.slice(text.length);
      if (end === -1) return;
      this.#held = this.#held.slice(this.#close.length).trimStart();
      // Another thought may follow.
      this.#state = "start";
      if (this.#held !== "") yield* this.feed("");
      return;
    }
    const text = this.#held;
    this.#held = "";
    if (text !== "") yield { kind: "text", text };
  }

  /** Text held back when the answer ended. */
  *end(): Generator<Piece, void> {
    const text = this.#held;
    this.#held = "";
    if (text !== "") yield { kind: this.#state === "inside" ? "thinking" : "text", text };
  }
}

/**
 * Text after a closing tag whose opening is part of the prompt, on a line of its own and not in
 * quoted code; null: there is no such tag.
 */
export function afterThought(text: string): { thought: string; answer: string } | null {
  for (const [open, close] of tags) {
    const at = text.indexOf(close);
    if (at === -1 || text.includes(open)) continue;
    const before = text.slice(0, at);
    const after = text.slice(at + close.length);
    const isAlone = /(?:^|\n)\s*$/.test(before) || /^\s*(?:\n|$)/.test(after);
    const isFenced = (before.match(/```/g)?.length ?? 0) % 2 === 1;
    if (isAlone && !isFenced) return { thought: before.trim(), answer: after.trimStart() };
  }
  return null;
}
