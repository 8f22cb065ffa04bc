/** Our own logs: everything on the path to the head but the cuts, which the replay makes anew. */

import { z } from "zod";
import type { AssistantBlock } from "../../protocol/block.ts";
import { TokenCounts } from "./token-counts.ts";
import { RecordingError, type Before, type RecordedCall, type Recording } from "./recording.ts";

const text = z.object({ type: z.literal("text"), text: z.string() });
const image = z.object({
  type: z.literal("image"),
  source: z.object({
    type: z.literal("base64"),
    media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
    data: z.string(),
  }),
});
const said = z.array(z.union([text, image]));
const answered = z.array(
  z.discriminatedUnion("type", [
    text,
    z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
    z.object({ type: z.literal("redacted_thinking"), data: z.string() }),
    z.object({
      type: z.literal("tool_use"),
      id: z.string(),
      name: z.string(),
      input: z.record(z.string(), z.unknown()),
    }),
  ]),
);
const stamp = z.object({
  path: z.string(),
  does: z.enum(["read", "write"]),
  hash: z.string(),
  bytes: z.number(),
  lines: z.tuple([z.number(), z.number()]).exactOptional(),
});
const tool = z.object({
  name: z.string(),
  description: z.string(),
  input_schema: z.looseObject({ type: z.literal("object") }),
});
const place = { id: z.string(), parent: z.string().nullable(), at: z.string() };
const session = z.object({
  ...place,
  type: z.literal("session"),
  session: z.string(),
  cwd: z.string(),
  system: z.string(),
  tools: z.array(tool),
});
const user = z.object({ type: z.literal("user"), content: said });
const context = z.object({
  type: z.literal("context"),
  kind: z.enum(["instructions", "environment", "mode", "shell", "recall", "reminder"]),
  title: z.string(),
  content: said,
});
const result = z.object({
  type: z.literal("result"),
  toolUse: z.string(),
  tool: z.string(),
  content: said,
  bytes: z.number(),
  lines: z.number(),
  file: z.string().exactOptional(),
  isError: z.literal(true).exactOptional(),
  stamps: z.array(stamp).exactOptional(),
});
const before = z.discriminatedUnion("type", [user, context, result]);
const assistant = z.object({
  type: z.literal("assistant"),
  content: z.array(z.looseObject({ type: z.string() })),
  usage: z.object({
    input: z.number().catch(0),
    cacheRead: z.number().catch(0),
    cacheWrite: z.number().catch(0),
    output: z.number(),
  }),
  stop: z.string(),
  sentAt: z.string(),
});
const edit = z.looseObject({ type: z.enum(["cut", "restore", "model"]) });
const placed = z.looseObject({ ...place, type: z.string() });

export const isOwnLog = (line: unknown): boolean => session.safeParse(line).success;

export function readOwnLog(name: string, lines: readonly unknown[]): Recording {
  const first = session.safeParse(lines[0]);
  if (!first.success)
    throw new RecordingError(`${name}: its first line is no session entry of this program.`);
  const calls: RecordedCall[] = [];
  let waiting: Before[] = [];
  let turnStart = false;
  let sentAt: number | null = null;
  let isCut = false;
  let answer: AssistantBlock[] = [];
  const { cwd, system, tools } = first.data;
  const counts = new TokenCounts(system.length + JSON.stringify(tools).length);
  for (const line of headPath(lines)) {
    const fact = before.safeParse(line);
    if (fact.success) {
      waiting.push(fact.data);
      turnStart ||= fact.data.type === "user";
      continue;
    }
    isCut ||= edit.safeParse(line).success;
    const call = assistant.safeParse(line);
    if (!call.success || call.data.stop === "failed") continue;
    const at = Date.parse(call.data.sentAt);
    const { usage } = call.data;
    counts.call(answer, waiting, usage.input + usage.cacheRead + usage.cacheWrite, isCut);
    answer = knownBlocks(call.data.content);
    isCut = false;
    calls.push({
      before: waiting,
      gapMs: sentAt === null || !Number.isFinite(at) ? null : Math.max(0, at - sentAt),
      turnStart,
      answer,
      outputTokens: usage.output,
    });
    if (Number.isFinite(at)) sentAt = at;
    waiting = [];
    turnStart = false;
  }
  const counted = counts.result();
  return { name, cwd, system, tools, calls, ...(counted ? { counted } : {}) };
}

/** The server's own summary is one of the cuts, and left out like them. */
const knownBlocks = (blocks: readonly { type: string }[]): AssistantBlock[] =>
  answered.parse(blocks.filter(({ type }) => type !== "compaction"));

/** From the root to the last line, along the parents. */
function headPath(lines: readonly unknown[]): unknown[] {
  const byId = new Map<string, z.infer<typeof placed>>();
  let head: z.infer<typeof placed> | undefined;
  for (const line of lines) {
    const entry = placed.safeParse(line);
    if (!entry.success) continue;
    byId.set(entry.data.id, entry.data);
    head = entry.data;
  }
  const path: unknown[] = [];
  for (let at = head; at; at = at.parent === null ? undefined : byId.get(at.parent)) {
    path.push(at);
    byId.delete(at.id);
  }
  return path.reverse();
}
