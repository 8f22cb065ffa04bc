/** Sessions of any agent in one common format: a header line, then messages with content blocks. */

import { z } from "zod";
import type { AssistantBlock, ResultBlock, ToolInput, ToolUseBlock } from "../protocol/block.ts";
import type { FileStamp, ResultFact } from "../protocol/entry.ts";
import { RecordingError, type Before, type RecordedCall, type Recording } from "./recording.ts";

const textBlock = z.looseObject({ type: z.literal("text"), text: z.string() });
const anyBlock = z.looseObject({ type: z.string() });
const content = z.union([z.string(), z.array(anyBlock)]);
const thinkingBlock = z.object({
  type: z.literal("thinking"),
  thinking: z.string().catch(""),
  signature: z.string().catch(""),
});
const toolUse = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()).catch({}),
});
const toolResult = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: content.nullish(),
  is_error: z.boolean().nullish(),
});
const usage = z.object({ output_tokens: z.number().nullish() }).nullish();
const message = z.object({
  role: z.enum(["user", "assistant"]),
  content,
  ts: z.string().nullish(),
  ts_end: z.string().nullish(),
  usage,
  meta: z.looseObject({ human: z.boolean().optional(), compact: z.unknown().optional() }).nullish(),
});
const header = z.looseObject({
  session: z.string(),
  cwd: z.string().nullish(),
  output_tokens_reliable: z.boolean().nullish(),
});

type Message = z.infer<typeof message>;

export const isCommonHeader = (line: unknown): boolean => header.safeParse(line).success;

/** Messages that another agent's own compaction made are left out: what they replaced is all there. */
export function readCommonFormat(name: string, lines: readonly unknown[]): Recording {
  const head = header.parse(lines[0]);
  const calls: RecordedCall[] = [];
  const uses = new Map<string, ToolUseBlock>();
  let before: Before[] = [];
  let turnStart = false;
  let answeredAt: number | null = null;
  let spokenAt: number | null = null;
  for (const [index, line] of lines.slice(1).entries()) {
    const parsed = message.safeParse(line);
    if (!parsed.success)
      throw new RecordingError(`${name}, line ${index + 2}: not a message with role and content.`);
    const one = parsed.data;
    if (one.meta?.compact !== undefined && one.meta.compact !== null) continue;
    const at = timeOf(one.ts_end ?? one.ts);
    if (one.role === "user") {
      const human = one.meta?.human === true || (calls.length === 0 && before.length === 0);
      before.push(...factsOf(one, human, uses));
      turnStart ||= human;
      spokenAt = at;
      continue;
    }
    const answer = answerOf(one, uses);
    if (answer.length === 0) continue;
    const reliable = head.output_tokens_reliable !== false;
    const gapMs = answeredAt === null || spokenAt === null ? null : spokenAt - answeredAt;
    calls.push({
      before,
      gapMs: gapMs === null ? null : Math.max(0, gapMs),
      turnStart,
      answer,
      outputTokens: reliable ? (one.usage?.output_tokens ?? null) : null,
    });
    before = [];
    turnStart = false;
    answeredAt = at ?? answeredAt;
  }
  return { name, cwd: head.cwd ?? "/", system: null, tools: [], calls };
}

function factsOf(one: Message, human: boolean, uses: ReadonlyMap<string, ToolUseBlock>): Before[] {
  const facts: Before[] = [];
  const words: { type: "text"; text: string }[] = [];
  for (const block of blocksOf(one.content)) {
    const result = toolResult.safeParse(block);
    if (result.success) {
      facts.push(resultOf(result.data, uses));
      continue;
    }
    const text = textBlock.safeParse(block);
    if (text.success && text.data.text.trim() !== "")
      words.push({ type: "text", text: text.data.text });
  }
  if (words.length > 0) {
    facts.push(
      human
        ? { type: "user", content: words }
        : { type: "context", kind: "reminder", title: "reminder", content: words },
    );
  }
  return facts;
}

function resultOf(
  result: z.infer<typeof toolResult>,
  uses: ReadonlyMap<string, ToolUseBlock>,
): ResultFact {
  const shown = blocksOf(result.content ?? "").map((block): ResultBlock => {
    const text = textBlock.safeParse(block);
    return { type: "text", text: text.success ? text.data.text : JSON.stringify(block) };
  });
  const text = shown.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const use = uses.get(result.tool_use_id);
  const stamps = use && result.is_error !== true ? stampsOf(use) : [];
  return {
    type: "result",
    toolUse: result.tool_use_id,
    tool: ourName(use?.name ?? "unknown"),
    content: shown,
    bytes: Buffer.byteLength(text),
    lines: text.split("\n").length,
    ...(result.is_error === true ? { isError: true as const } : {}),
    ...(stamps.length > 0 ? { stamps } : {}),
  };
}

function answerOf(one: Message, uses: Map<string, ToolUseBlock>): AssistantBlock[] {
  return blocksOf(one.content).flatMap((block): AssistantBlock[] => {
    const text = textBlock.safeParse(block);
    if (text.success) return [{ type: "text", text: text.data.text }];
    const thinking = thinkingBlock.safeParse(block);
    if (thinking.success) return [thinking.data];
    const use = toolUse.safeParse(block);
    if (!use.success) return [];
    uses.set(use.data.id, use.data);
    return [use.data];
  });
}

const blocksOf = (from: z.infer<typeof content>): z.infer<typeof anyBlock>[] =>
  typeof from === "string" ? [{ type: "text", text: from }] : from;

/** Other agents' names of what we have too. */
const names: [RegExp, string][] = [
  [/^(read|view|read_file|open)$/i, "read_file"],
  [/^(edit|multiedit|str_replace|edit_file|apply_patch)$/i, "edit_file"],
  [/^(write|create|write_file)$/i, "write_file"],
  [/^(bash|powershell|exec|exec_command|shell|run_shell|write_stdin)$/i, "bash"],
  [/^grep/i, "grep"],
  [/^(glob|ls|list_files|find)$/i, "glob"],
];

export const ourName = (name: string): string =>
  names.find(([pattern]) => pattern.test(name))?.[1] ?? name;

/** The file that a call shows or writes; a path with a redacted part may be any file. */
function stampsOf({ name, input }: ToolUseBlock): FileStamp[] {
  const path = pathOf(input);
  if (path === null || path.includes("REDACTED")) return [];
  const known = ourName(name);
  if (known === "edit_file" || known === "write_file")
    return [{ path, does: "write", hash: "", bytes: 0 }];
  if (known !== "read_file") return [];
  const offset = numberOf(input["offset"]);
  const limit = numberOf(input["limit"]);
  const lines: [number, number] | null =
    offset === null && limit === null ? null : [offset ?? 1, (offset ?? 1) + (limit ?? 2_000) - 1];
  return [{ path, does: "read", hash: "", bytes: 0, ...(lines ? { lines } : {}) }];
}

/** The file that a call names. */
export function pathOf(input: ToolInput): string | null {
  for (const key of ["file_path", "path", "notebook_path"]) {
    const value = input[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

function timeOf(at: string | null | undefined): number | null {
  const ms = at ? Date.parse(at) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}
