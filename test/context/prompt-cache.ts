/** A prompt cache as the API documents it: prefixes are stored at marks, and found from marks. */

import type { ModelRequest } from "../../src/protocol/model.ts";

/** How many blocks are searched backward from a mark. */
const lookBack = 20;

export class PromptCache {
  readonly #kept = new Set<string>();

  /**
   * How many blocks of the request were read from the cache, and how many it has. Stores the marked
   * prefixes.
   */
  take({ system, tools, messages }: ModelRequest): { read: number; blocks: number } {
    const blocks = [
      ...tools.map((tool) => ({ role: "tool", block: tool })),
      ...system.map((block) => ({ role: "system", block })),
      ...messages.flatMap(({ role, content }) => content.map((block) => ({ role, block }))),
    ];
    let prefix = "";
    const prefixes = blocks.map(({ role, block }) => {
      const plain = JSON.stringify({ ...block, cache_control: undefined });
      return (prefix = Bun.hash(`${prefix} ${role} ${plain}`).toString(36));
    });
    const marks = blocks.flatMap(({ block }, at) => (block.cache_control ? [at] : []));
    let read = 0;
    for (const mark of marks) {
      for (let at = mark; at >= 0 && at > mark - lookBack; at--) {
        const one = prefixes[at];
        if (one !== undefined && this.#kept.has(one)) {
          read = Math.max(read, at + 1);
          break;
        }
      }
    }
    for (const mark of marks) this.#kept.add(prefixes[mark] ?? "");
    return { read, blocks: blocks.length };
  }
}
