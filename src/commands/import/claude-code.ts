/**
 * Reads a session of Claude Code (`~/.claude/projects/<folder>/<session>.jsonl`). The format is not
 * published; the README names the sources.
 */

import { terminalLine } from "../../base/escape-terminal.ts";
import { z } from "zod";
import { isRecord } from "../../base/guards.ts";
import { blockText, type UserBlock } from "../../protocol/block.ts";
import type { Usage } from "../../protocol/model.ts";
import { addWords, answerBlocks, contentBlocks, findMark, type Marks } from "./blocks.ts";
import { anything, count, flag, maybe, readCount, readTime, text } from "./source.ts";
import type { SourceFile } from "./source.ts";
import type { Transcript } from "./transcript.ts";

const lineSchema = z.object({
  type: z.string(),
  subtype: text,
  uuid: text,
  parentUuid: text,
  logicalParentUuid: text,
  sessionId: text,
  agentId: text,
  timestamp: text,
  cwd: text,
  isSidechain: flag,
  isMeta: flag,
  isCompactSummary: flag,
  message: maybe(
    z.object({
      id: text,
      model: text,
      content: anything,
      stop_reason: text,
      usage: maybe(z.looseObject({})),
    }),
  ),
  customTitle: text,
  aiTitle: text,
  compactMetadata: maybe(
    z.object({
      trigger: text,
      preTokens: count,
      postTokens: count,
      preservedSegment: maybe(z.object({ headUuid: text, anchorUuid: text, tailUuid: text })),
    }),
  ),
  attachment: maybe(
    z.object({
      type: text,
      prompt: anything,
      filename: text,
      content: maybe(z.object({ file: maybe(z.object({ content: text })) })),
    }),
  ),
});

type ClaudeLine = z.infer<typeof lineSchema>;

/** Whether only Claude Code writes such a line. */
export const isClaudeCode = (json: unknown): boolean =>
  isRecord(json) && typeof json["type"] === "string" && typeof json["sessionId"] === "string";

export function readClaudeCode(file: SourceFile, session: Transcript): void {
  const lines = readPath(file.lines(), session);
  const answers = Map.groupBy(lines.filter(isAnswer), messageId);
  /** By the id of a line, the number of entries before it. */
  const before = new Map<string | null, number>();
  /** A compaction whose summary is still to come: a hook's line may be between. */
  let compaction: ClaudeLine["compactMetadata"] = null;
  for (const line of lines) {
    before.set(line.uuid, session.entries.length);
    if (line.subtype === "compact_boundary") compaction = line.compactMetadata;
    if (isAnswer(line)) {
      const id = messageId(line);
      addAnswer(session, answers.get(id) ?? []);
      answers.delete(id);
    } else if (line.isCompactSummary) {
      const kept = before.get(compaction?.preservedSegment?.headUuid ?? "");
      addSummary(session, line, compaction, kept);
    } else addLine(session, line);
  }
}

const isAnswer = ({ type }: ClaudeLine): boolean => type === "assistant";

const rawBlocks = ({ message }: ClaudeLine): { [key: string]: unknown }[] =>
  [message?.content].flat().filter(isRecord);

/** The ids of calls, or of the calls that results answer. */
const findIds = (line: ClaudeLine, key: "id" | "tool_use_id"): string[] =>
  rawBlocks(line).flatMap(({ [key]: id }) => (typeof id === "string" ? [id] : []));

/** Each block of an answer has a line; all share the id of the message. */
const messageId = ({ message, uuid }: ClaudeLine): string => message?.id ?? `line ${uuid}`;

/**
 * The lines of the conversation as the user saw it last, in the order of the file: those that the
 * latest message follows, the other blocks of their answers, and the results of the calls in them, of
 * which each names any of these lines as its parent.
 */
function readPath(file: Iterable<unknown>, session: Transcript): ClaudeLine[] {
  const lines: ClaudeLine[] = [];
  const parents = new Map<ClaudeLine, ClaudeLine | undefined>();
  const byId = new Map<string | null, ClaudeLine>();
  let [sessionId, agentId, title]: (string | null)[] = [];
  let kept: NonNullable<ClaudeLine["compactMetadata"]>["preservedSegment"] = null;
  for (const json of file) {
    const line = lineSchema.safeParse(json).data;
    if (!line || !take(line)) session.skipped += 1;
  }
  session.title = title ?? session.title;
  const id = sessionId ?? session.id;
  session.id = session.isSubagent ? `${id}/${agentId ?? session.id}` : id;
  const wanted = new Set<ClaudeLine>();
  for (let at = lines.at(-1); at && !wanted.has(at); at = parents.get(at)) wanted.add(at);
  const messages = new Set([...wanted].filter(isAnswer).map(messageId));
  const isWanted = (line: ClaudeLine): boolean =>
    wanted.has(line) || (isAnswer(line) && messages.has(messageId(line)));
  const calls = new Set(lines.filter(isWanted).flatMap((line) => findIds(line, "id")));
  const isResult = (line: ClaudeLine): boolean =>
    findIds(line, "tool_use_id").some((call) => calls.has(call));
  return lines.filter((line) => isWanted(line) || isResult(line));

  /** False when the line has no counterpart here. */
  function take(line: ClaudeLine): boolean {
    // A session that continues in another file copies its lines; the last ones are its own.
    sessionId = line.sessionId ?? sessionId;
    agentId ??= line.agentId;
    session.cwd ??= line.cwd;
    title = line.customTitle || title;
    session.title = line.aiTitle || session.title;
    if (line.uuid === null) return line.customTitle !== null || line.aiTitle !== null;
    const isSidechain = line.isSidechain === true;
    // The first line decides.
    if (lines.length === 0) session.isSubagent = isSidechain;
    if (isSidechain !== session.isSubagent || byId.has(line.uuid)) return false;
    parents.set(line, findParent(line));
    lines.push(line);
    byId.set(line.uuid, line);
    if (line.compactMetadata) kept = line.compactMetadata.preservedSegment;
    // Lines after the last one that a summary kept follow the summary here.
    else if (kept?.anchorUuid === line.uuid && byId.has(kept.tailUuid))
      byId.set(kept.tailUuid, line);
    return true;
  }

  function findParent(line: ClaudeLine): ClaudeLine | undefined {
    const named = byId.get(line.parentUuid);
    if (named || (line.parentUuid === null && !line.compactMetadata)) return named;
    // A compaction starts a new tree, but follows the last line that it summarized or kept.
    const { preservedSegment: segment } = line.compactMetadata ?? {};
    const ends = [byId.get(segment?.tailUuid ?? null), byId.get(line.logicalParentUuid)];
    return lines.findLast((before) => ends.includes(before)) ?? lines.at(-1);
  }
}

/** Each line of an answer holds one block; the one with the most output has the complete usage. */
function addAnswer(session: Transcript, lines: readonly ClaudeLine[]): void {
  const [first] = lines;
  if (!first) return;
  const model = first.message?.model ?? "unknown";
  const blocks = lines.flatMap(({ message }) => answerBlocks(message?.content));
  const content = [...new Map(blocks.map((block) => [JSON.stringify(block), block])).values()];
  const atMs = readTime(lines.at(-1)?.timestamp);
  // Written by the program, such as an error of the API.
  if (model === "<synthetic>") return session.note("error", blockText(content), atMs);
  const usages = lines.map(({ message }) => readUsage(message?.usage));
  const usage = usages.reduce((most, next) => (next.output >= most.output ? next : most));
  session.answer(model, content, atMs, usage);
}

function addSummary(
  session: Transcript,
  { message, timestamp }: ClaudeLine,
  meta: ClaudeLine["compactMetadata"],
  covered: number | undefined,
): void {
  const text = blockText(contentBlocks(message?.content));
  const trigger = meta?.trigger === "manual" ? "command" : "auto";
  const { preTokens = null, postTokens = null } = meta ?? {};
  session.summary(text, readTime(timestamp), { trigger, preTokens, postTokens, covered });
}

function addLine(session: Transcript, line: ClaudeLine): void {
  const { message, attachment } = line;
  const atMs = readTime(line.timestamp);
  const file = attachment?.content?.file?.content;
  if (line.type === "user") {
    const isResult = (block: unknown): boolean =>
      isRecord(block) && block["type"] === "tool_result";
    for (const { tool_use_id: call, content, is_error } of rawBlocks(line).filter(isResult))
      session.result(String(call), contentBlocks(content), is_error === true, atMs);
    const words = [message?.content].flat().filter((block) => !isResult(block));
    addSaid(session, line, contentBlocks(words));
  } else if (attachment?.type === "queued_command") {
    // Typed while the agent worked.
    addSaid(session, line, contentBlocks(attachment.prompt));
  } else if (attachment?.type === "file" && file) {
    const title = terminalLine(attachment.filename ?? "", 200) || "file";
    session.context("reminder", title, contentBlocks(file), atMs);
  } else if (line.subtype !== "compact_boundary") session.skipped += 1;
}

function addSaid(session: Transcript, { isMeta, timestamp }: ClaudeLine, content: UserBlock[]) {
  const atMs = readTime(timestamp);
  if (isMeta === true && !findMark(content, marks))
    session.context("reminder", "reminder", content, atMs);
  else addWords(session, content, marks, atMs);
}

/** Usage as Anthropic's API reports it. */
function readUsage(usage: { [key: string]: unknown } | null = null): Usage {
  const written1h = readCount(usage?.["cache_creation"], "ephemeral_1h_input_tokens");
  return {
    input: readCount(usage, "input_tokens"),
    cacheRead: readCount(usage, "cache_read_input_tokens"),
    cacheWrite: readCount(usage, "cache_creation_input_tokens"),
    ...(written1h > 0 ? { cacheWrite1h: written1h } : {}),
    output: readCount(usage, "output_tokens"),
  };
}

const marks: Marks = [
  [/^<bash-(input|stdout|stderr)>/, "shell", "shell"],
  [/^<local-command-(stdout|stderr|caveat)>/, "reminder", "command"],
  [/^<command-(name|message|args|contents)>/, "reminder", "command"],
  [/^<(system-reminder|task-notification|user-memory-input)>/, "reminder", "reminder"],
  [/^\[Request interrupted by user/, "reminder", "interrupted"],
];
