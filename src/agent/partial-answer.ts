import type { AssistantBlock } from "../protocol/block.ts";
import type { ModelEvent, ModelRules, Usage } from "../protocol/model.ts";

/** An answer while it streams in: its complete blocks, and the text of those still growing. */
export class PartialAnswer {
  readonly #blocks = new Map<number, AssistantBlock>();
  readonly #texts = new Map<number, string>();
  #usage: Usage | null = null;
  /** Characters received, of text, thoughts and inputs. */
  chars = 0;

  add(event: Exclude<ModelEvent, { type: "stop" }>): void {
    switch (event.type) {
      case "usage":
        this.#usage = event.usage;
        return;
      case "block":
        this.#blocks.set(event.index, event.block);
        this.#texts.delete(event.index);
        return;
      case "delta":
        this.chars += event.text.length;
        if (event.kind !== "text") return;
        this.#texts.set(event.index, (this.#texts.get(event.index) ?? "") + event.text);
    }
  }

  /**
   * The cost of a call that was interrupted, with its output estimated; null when nothing is known.
   */
  usage({ charsPerToken }: ModelRules): Usage | null {
    if (!this.#usage) return null;
    const output = Math.ceil(this.chars / charsPerToken.prose);
    return { ...this.#usage, output: Math.max(this.#usage.output, output) };
  }

  /**
   * What can be kept. Of an incomplete block only text: half a tool call cannot be run, and half a
   * thought has no signature.
   */
  get content(): AssistantBlock[] {
    const blocks: [number, AssistantBlock][] = [...this.#blocks];
    for (const [index, text] of this.#texts) {
      if (text.trim() !== "") blocks.push([index, { type: "text", text }]);
    }
    return blocks.sort(([a], [b]) => a - b).map(([, block]) => block);
  }
}
