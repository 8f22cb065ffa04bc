/** Messages of the Messages API as the entries of a log that is only in memory. */

import { z } from "zod";
import {
  redactedThinkingSchema,
  blockText,
  textSchema,
  thinkingSchema,
  toolUseSchema,
  userBlockSchema,
  type ResultBlock,
  type UserBlock,
} from "../../protocol/block.ts";
import { Projection } from "../../context/view/view.ts";
import type { Entry, Fact } from "../../protocol/entry.ts";
import { noUsage, type Usage } from "../../protocol/model.ts";

const plain = z.string().transform((words) => [{ type: "text" as const, text: words }]);
const result = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.union([plain, z.array(userBlockSchema)]).default([]),
  is_error: z.boolean().optional(),
});
const answered = z.union([textSchema, toolUseSchema, thinkingSchema, redactedThinkingSchema]);
const messageSchema = z.discriminatedUnion("role", [
  z.object({
    role: z.literal("user"),
    content: z.union([plain, z.array(z.union([userBlockSchema, result]))]),
  }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([plain, z.array(answered)]),
    usage: z.unknown().optional(),
  }),
]);

const usageSchema = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
});

/** A message as it is sent to the API or received from it; `usage` of a received one is read. */
export type AnyMessage = { role: string; content: unknown; stop_reason?: unknown; usage?: unknown };

function measureContent(content: readonly ResultBlock[]): { bytes: number; lines: number } {
  const words = blockText(content);
  return { bytes: Buffer.byteLength(words), lines: words.split("\n").length };
}

function readUsage(usage: unknown): Usage {
  const { data } = usageSchema.safeParse(usage);
  if (!data) return noUsage;
  return {
    input: data.input_tokens,
    cacheRead: data.cache_read_input_tokens ?? 0,
    cacheWrite: data.cache_creation_input_tokens ?? 0,
    output: data.output_tokens,
  };
}

/** A conversation as entries, and the view of them. */
export class Conversation {
  readonly entries: Entry[] = [];
  readonly #projection = new Projection();
  /** The tools that calls asked for, by the ids of the calls. */
  readonly #tools = new Map<string, string>();
  readonly #model: string;
  readonly #now: () => number;

  constructor(model: string, now: () => number) {
    this.#model = model;
    this.#now = now;
  }

  get view() {
    return this.#projection.view;
  }

  get #at(): string {
    return new Date(this.#now()).toISOString();
  }

  append<F extends Fact>(fact: F): F & Pick<Entry, "id" | "parent" | "at"> {
    const parent = this.entries.at(-1)?.id ?? null;
    const entry = { ...fact, id: `e${this.entries.length + 1}`, parent, at: this.#at };
    this.entries.push(entry);
    this.#projection.push(entry);
    return entry;
  }

  /** Adds the facts that a message states. Throws with a sentence when it has a block that is not supported. */
  push(message: AnyMessage): void {
    const parsed = messageSchema.safeParse(message);
    if (!parsed.success)
      throw new Error(`This message cannot be used: ${z.prettifyError(parsed.error)}`);
    const { data } = parsed;
    if (data.role === "assistant") {
      const { content } = data;
      const calls = content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
      for (const { id, name } of calls) this.#tools.set(id, name);
      // No cut depends on another reason, so that an unknown one is no error.
      const stop = calls.length > 0 ? "tool_use" : "end_turn";
      const base = { type: "assistant", model: this.#model, sentAt: this.#at } as const;
      this.append({ ...base, content, usage: readUsage(data.usage), stop });
      return;
    }
    const said: UserBlock[] = [];
    for (const block of data.content) {
      if (block.type !== "tool_result") {
        said.push(block);
        continue;
      }
      const { tool_use_id: toolUse, content, is_error } = block;
      this.append({
        type: "result",
        toolUse,
        tool: this.#tools.get(toolUse) ?? "unknown",
        content,
        ...measureContent(content),
        ...(is_error && { isError: true }),
      });
    }
    if (said.length > 0) this.append({ type: "user", content: said });
  }
}
