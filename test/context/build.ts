/** Writes a session entry by entry, with usage as a server would count it. */

import { plainRules } from "../model-rules.ts";
import type { AssistantBlock, Block, ResultBlock, ToolUseBlock } from "../../src/protocol/block.ts";
import type { Change, Entry, EntryId, EntryOf, Fact, Price } from "../../src/protocol/entry.ts";
import type { Message, ModelRules } from "../../src/protocol/model.ts";
import { Projection } from "../../src/context/view/view.ts";
import type { View } from "./types.ts";

export const rules: ModelRules = {
  ...plainRules,
  model: "m1",
  windowTokens: 60_000,
  thinking: "bound",
  caches: true,
  cacheMinimumTokens: 1_024,
  compacts: true,
  countsTokens: true,
  charsPerToken: { prose: 3.8, code: 3, result: 2.8 },
};

/** Tokens as the server of these tests counts them, which differs from the meter. */
export function countTokens(messages: readonly Message[], overhead = 700): number {
  let [chars, images] = [0, 0];
  for (const message of messages) {
    const size = measure(message);
    chars += size.chars;
    images += size.images;
  }
  return overhead + images * 1_600 + Math.ceil(chars / 3.1);
}

/** A message never changes, and a long session counts its own again and again. */
const sizes = new WeakMap<Message, { chars: number; images: number }>();

function measure(message: Message) {
  const known = sizes.get(message);
  if (known) return known;
  const size = { chars: 0, images: 0 };
  for (const block of message.content.flatMap(withParts)) {
    if (block.type === "image") size.images++;
    else size.chars += textLength(block);
  }
  sizes.set(message, size);
  return size;
}

/** A result after the images in it. */
const withParts = (block: Block): Block[] =>
  block.type === "tool_result"
    ? [
        ...block.content.filter(({ type }) => type === "image"),
        { ...block, content: block.content.filter(({ type }) => type !== "image") },
      ]
    : [block];

const countLines = (block: ResultBlock): number =>
  block.type === "text" ? block.text.replace(/\n$/, "").split("\n").length : 1;

const textLength = (value: unknown): number => {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + textLength(one), 0);
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + textLength(one), 2);
};

export const noPrice: Price = {
  usedBefore: 0,
  usedAfter: 0,
  cachedBroken: 0,
  usd: 0,
  breakEvenCalls: null,
};

export const say = (text: string) => ({ type: "text" as const, text });

export const call = (
  id: string,
  name = "Read",
  input: ToolUseBlock["input"] = { file_path: `/w/${id}.ts` },
): ToolUseBlock => ({ type: "tool_use", id, name, input });

export const think = (thinking = "hm", signature = "s") => ({
  type: "thinking" as const,
  thinking,
  signature,
});

/** The server's own summary. */
export const serverSummary = (content = "Sum.") => ({
  type: "compaction" as const,
  content,
  signature: "s",
});

export const picture = {
  type: "image" as const,
  source: { type: "base64" as const, media_type: "image/png" as const, data: "iVBORw0KGgo=" },
};

/** A session that begins with this message. */
export function begin(text = "Go.", options?: ConstructorParameters<typeof Builder>[0]): Builder {
  const session = new Builder(options);
  session.user(text);
  return session;
}

/** Of a result: its tool, file, stamps and so on. */
type ResultParts = Partial<
  Pick<EntryOf<"result">, "tool" | "file" | "isError" | "stamps" | "loads" | "subagent">
>;

/** A path that grows; `rewind` makes a fork. Entries are frozen, because no fact may be changed. */
export class Builder {
  path: Entry[] = [];
  nowMs = Date.UTC(2026, 10, 20);
  #next = 0;
  #projection = new Projection();

  /** `imported`: the agent that the session was held with. */
  constructor(
    options: {
      system?: string;
      model?: string;
      imported?: string;
      /** Names of its tools. */
      tools?: readonly string[];
    } = {},
  ) {
    const { imported: agent, tools = ["Read", "Recall"] } = options;
    this.add({
      type: "session",
      version: 1,
      session: "s",
      cwd: "/w",
      model: options.model ?? rules.model,
      system: options.system ?? "You are a coding agent.",
      tools: tools.map((name) => ({
        name,
        description: name === "Read" ? "Reads a file." : "Finds old text.",
        input_schema: { type: "object" },
      })),
      ...(agent === undefined ? {} : { imported: { agent, id: "i", file: "/i.jsonl", bytes: 1 } }),
    });
  }

  get view(): View {
    return this.#projection.view;
  }

  add(fact: Fact): Entry {
    this.nowMs += 1_000;
    const entry: Entry = freeze({
      id: `e${++this.#next}`,
      parent: this.path.at(-1)?.id ?? null,
      at: new Date(this.nowMs).toISOString(),
      ...fact,
    });
    this.path.push(entry);
    this.#projection.push(entry);
    return entry;
  }

  user(text: string): Entry {
    return this.add({ type: "user", content: [say(text)] });
  }

  /** A message, and an answer that calls nothing. */
  turn(text: string, answer: string): void {
    this.user(text);
    this.answer([say(answer)]);
  }

  /** Ends the turn, and begins the next one. */
  next(text = "And now?"): Entry {
    this.answer([say("Done.")]);
    return this.user(text);
  }

  answer(
    content: AssistantBlock[],
    more: Partial<Pick<EntryOf<"assistant">, "stop" | "model" | "usage" | "sentAt">> = {},
  ): Entry {
    const input = countTokens(this.view.messages);
    const output = Math.ceil(textLength(content) / 3.1);
    const cacheRead = Math.floor(input * 0.9);
    return this.add({
      type: "assistant",
      content,
      model: more.model ?? this.view.model,
      usage: more.usage ?? { input: 3, cacheRead, cacheWrite: input - 3 - cacheRead, output },
      stop:
        more.stop ?? (content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn"),
      sentAt: more.sentAt ?? new Date(this.nowMs).toISOString(),
    });
  }

  result(toolUse: string, content: string | ResultBlock[], more: ResultParts = {}): Entry {
    const blocks = typeof content === "string" ? [say(content)] : content;
    const bytes = blocks.reduce((sum, block) => sum + textLength(block), 0);
    const lines = blocks.reduce((sum, block) => sum + countLines(block), 0);
    const result = { type: "result", tool: "Read", content: blocks, bytes, lines } as const;
    return this.add({ ...result, toolUse, ...more });
  }

  /** One call and its result. */
  step(
    id: string,
    text: string,
    { input, ...more }: ResultParts & { input?: ToolUseBlock["input"] } = {},
  ): Entry {
    this.answer([call(id, more.tool, input)]);
    return this.result(id, text, more);
  }

  cut(changes: Change[], tier: EntryOf<"cut">["tier"] = "manual", price = noPrice): Entry {
    return this.add({
      type: "cut",
      tier,
      trigger: "inspector",
      reason: "a test",
      changes,
      price,
    });
  }

  cover(
    from: EntryId,
    to: EntryId,
    text = "What happened before.",
    more: { block?: ReturnType<typeof serverSummary>; kept?: string } = {},
  ): Entry {
    return this.cut([{ kind: "cover", span: { from, to }, text, ...more }], "summary");
  }

  restore(cut: EntryId, entry?: EntryId, more: { redo?: true; price?: Price } = {}): Entry {
    const part = entry === undefined ? {} : { entry };
    return this.add({ type: "restore", cut, ...part, price: noPrice, ...more });
  }

  /** A summary that is ready, unless specified otherwise. */
  attempt(more: Partial<EntryOf<"attempt">>): Entry {
    const ready = { outcome: "ready", by: "model", trigger: "auto", reason: "" } as const;
    return this.add({ type: "attempt", ...ready, usedTokens: 1, ...more });
  }

  wait(ms: number): void {
    this.nowMs += ms;
  }

  /** Continues from an earlier entry; ids increase, as in a log. */
  rewind(length: number): void {
    this.path = this.path.slice(0, Math.max(1, length));
    this.#projection = new Projection(this.path);
  }
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const one of Object.values(value)) freeze(one);
  }
  return value;
}
