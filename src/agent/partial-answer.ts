import type { AssistantBlock } from "../protocol/block.ts";
import type { ModelEvent } from "../protocol/model.ts";

/** An answer while it streams in: its complete blocks, and the text of those still growing. */
export class PartialAnswer {
  readonly #blocks = new Map<number, AssistantBlock>();
  readonly #texts = new Map<number, string>();

  add(event: Exclude<ModelEvent, { type: "stop" }>): void {
    if (event.type === "block") {
      this.#blocks.set(event.index, event.block);
      this.#texts.delete(event.index);
    } else if (event.kind === "text") {
      this.#texts.set(event.index, (this.#texts.get(event.index) ?? "") + event.text);
    }
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
