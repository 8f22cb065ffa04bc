/** Recorded sessions as the facts that our own log would have held, usage included. */

import { z } from "zod";
import type { AssistantBlock, ResultBlock, UserBlock } from "../../../src/protocol/block.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import type { Usage } from "../../../src/protocol/model.ts";

const text = z.object({ type: z.literal("text"), text: z.string() });
const use = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()).catch({}),
});
const thinking = z.object({
  type: z.literal("thinking"),
  thinking: z.string().catch(""),
  signature: z.string().catch(""),
});
const result = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
  is_error: z.boolean().nullish(),
});
const image = z.object({
  type: z.literal("image"),
  source: z.object({
    type: z.literal("base64"),
    media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
    data: z.string(),
  }),
});
const count = z.number().nullish();
const line = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
  ts: z.string().nullish(),
  ts_end: z.string().nullish(),
  model: z.string().nullish(),
  usage: z
    .looseObject({
      input_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
      output_tokens: count,
    })
    .nullish(),
  meta: z
    .looseObject({
      human: z.boolean().optional(),
      compact: z.unknown().optional(),
      source_microcompact_after: z.unknown().optional(),
    })
    .nullish(),
});

export type Recorded = { name: string; agent: string; model: string; moments: Moment[] };

/** One message: the facts that it becomes, and what the recording agent did to its own context. */
export type Moment = {
  atMs: number | null;
  /** The user typed it. */
  human: boolean;
  facts: Fact[];
  /** The recording agent replaced its history by the text of this message. */
  compacted: boolean;
  /** It cleared old results here; which ones is unknown. */
  cleared: boolean;
};

const blank: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

export async function readRecorded(path: string): Promise<Recorded> {
  const lines = (await Bun.file(path).text()).split("\n").filter((one) => one.trim() !== "");
  const head = z
    .looseObject({ agent: z.string().catch("unknown") })
    .parse(JSON.parse(lines[0] ?? "{}"));
  const tools = new Map<string, string>();
  let model = "";
  const moments = lines.slice(1).map((one): Moment => {
    const message = line.parse(JSON.parse(one));
    model ||= message.model ?? "";
    const at = Date.parse(message.ts_end ?? message.ts ?? "");
    const { meta } = message;
    return {
      atMs: Number.isFinite(at) ? at : null,
      human: meta?.human === true,
      facts: message.role === "user" ? userFacts(message, tools) : answerFacts(message, tools),
      compacted: meta?.compact !== undefined && meta.compact !== null,
      cleared:
        meta?.source_microcompact_after !== undefined && meta.source_microcompact_after !== null,
    };
  });
  const name = path.replace(/^.*\//, "").replace(/\.jsonl$/, "");
  return { name, agent: head.agent, model, moments };
}

type Line = z.infer<typeof line>;

const toBlocks = (content: Line["content"]) =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

function userFacts({ content }: Line, tools: ReadonlyMap<string, string>): Fact[] {
  const facts: Fact[] = [];
  const words: UserBlock[] = [];
  for (const block of toBlocks(content)) {
    const given = result.safeParse(block);
    if (!given.success) {
      words.push(...shown(block));
      continue;
    }
    const parts = toBlocks(given.data.content ?? "").flatMap((part): ResultBlock[] => shown(part));
    const bytes = parts.reduce(
      (sum, part) => sum + (part.type === "text" ? part.text.length : 0),
      0,
    );
    facts.push({
      type: "result",
      toolUse: given.data.tool_use_id,
      tool: tools.get(given.data.tool_use_id) ?? "unknown",
      content: parts,
      bytes,
      lines: 1,
      ...(given.data.is_error === true ? { isError: true as const } : {}),
    });
  }
  return words.length > 0 ? [...facts, { type: "user", content: words }] : facts;
}

function shown(block: unknown): UserBlock[] {
  const words = text.safeParse(block);
  if (words.success) return [words.data];
  const picture = image.safeParse(block);
  return picture.success ? [picture.data] : [];
}

function answerFacts(message: Line, tools: Map<string, string>): Fact[] {
  const content = toBlocks(message.content).flatMap((block): AssistantBlock[] => {
    const words = text.safeParse(block);
    if (words.success) return [words.data];
    const thought = thinking.safeParse(block);
    if (thought.success) return [thought.data];
    const called = use.safeParse(block);
    if (!called.success) return [];
    tools.set(called.data.id, called.data.name);
    return [called.data];
  });
  const { usage } = message;
  return [
    {
      type: "assistant",
      content,
      model: message.model ?? "",
      usage: usage
        ? {
            input: usage.input_tokens ?? 0,
            cacheRead: usage.cache_read_input_tokens ?? 0,
            cacheWrite: usage.cache_creation_input_tokens ?? 0,
            output: usage.output_tokens ?? 0,
          }
        : blank,
      stop: content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
      sentAt: message.ts ?? new Date(0).toISOString(),
    },
  ];
}

/** Ids and times for facts, in order of appending. */
export class Writer {
  #last: string | null = null;
  #count = 0;

  entry(fact: Fact, atMs: number): Entry {
    const id = `e${++this.#count}`;
    const entry: Entry = { id, parent: this.#last, at: new Date(atMs).toISOString(), ...fact };
    this.#last = id;
    return entry;
  }
}

/** Recordings below a folder, by name. */
export async function readRecordings(folder: string): Promise<Recorded[]> {
  const names = (await Array.fromAsync(new Bun.Glob("*.jsonl").scan(folder))).sort();
  return Promise.all(names.map((name) => readRecorded(`${folder}/${name}`)));
}

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? Number.NaN;

export const percent = (share: number): string =>
  Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "-";
