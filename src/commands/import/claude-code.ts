/**
 * Reads a session of Claude Code (`~/.claude/projects/<folder>/<session>.jsonl`). The format is not
 * published; the README names the sources.
 */

import { terminalLine } from "../../base/escape-terminal.ts";
import { z } from "zod";
import { isRecord } from "../../base/guards.ts";
import { blockText, type UserBlock } from "../../protocol/block.ts";
import { modelStops, type Usage } from "../../protocol/model.ts";
import { answerBlocks, contentBlocks, readWords, type Marks } from "./blocks.ts";
import { anything, count, flag, maybe, readCount, readTime, text } from "./json.ts";
import { type Conversation, type ForeignEvent, type Reader, type Untimed } from "./source.ts";

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
  isApiErrorMessage: flag,
  message: maybe(
    z.object({ id: text, model: text, content: anything, stop_reason: text, usage: anything }),
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
  attachment: maybe(z.object({ type: text, prompt: anything, filename: text, content: anything })),
});

type ClaudeLine = z.infer<typeof lineSchema>;

export const claudeCode: Reader = {
  agent: "Claude Code",
  recognizes(json) {
    if (!isRecord(json) || typeof json["type"] !== "string") return false;
    if (typeof json["sessionId"] === "string") return true;
    if (json["type"] === "file-history-snapshot" && isRecord(json["snapshot"])) return true;
    return typeof json["uuid"] === "string" && "parentUuid" in json;
  },
  read(file, session) {
    const lines = readPath(file.lines(), session);
    const answers = Map.groupBy(lines.filter(isAnswer), messageId);
    /** The first event of a line, by its id. */
    const firstOf = new Map<string | null, ForeignEvent>();
    /** A compaction whose summary is still to come: a hook's line may be between. */
    let compaction: ClaudeLine["compactMetadata"] = null;
    for (const line of lines) {
      const atMs = readTime(line.timestamp);
      if (line.subtype === "compact_boundary") compaction = line.compactMetadata;
      const kept = firstOf.get(compaction?.preservedSegment?.headUuid ?? "");
      let events: ForeignEvent[];
      if (isAnswer(line)) {
        const id = messageId(line);
        events = readAnswer(answers.get(id) ?? []);
        answers.delete(id);
      } else if (line.isCompactSummary) events = [{ atMs, ...readSummary(line, compaction), kept }];
      else events = readLine(line, session).map((event) => ({ atMs, ...event }));
      if (events[0]) firstOf.set(line.uuid, events[0]);
      session.events.push(...events);
    }
  },
};

const isAnswer = ({ type }: ClaudeLine): boolean => type === "assistant";

/** The content blocks of a message that are objects. */
const rawBlocks = ({ message }: ClaudeLine): { [key: string]: unknown }[] =>
  Array.isArray(message?.content) ? message.content.filter(isRecord) : [];

/** The ids in blocks of one type: `id` of calls, `tool_use_id` of results. */
const findIds = (line: ClaudeLine, type: string, key: string): string[] =>
  rawBlocks(line).flatMap((block) =>
    block["type"] === type && typeof block[key] === "string" ? [block[key]] : [],
  );

/** Each block of an answer has a line; all share the id of the message. */
const messageId = ({ message, uuid }: ClaudeLine): string => message?.id ?? `line ${uuid}`;

/**
 * The lines of the conversation as the user saw it last, in the order of the file: those that the
 * latest message follows, the other blocks of their answers, and the results of the calls in them, of
 * which each names any of these lines as its parent.
 */
function readPath(file: Iterable<unknown>, session: Conversation): ClaudeLine[] {
  const parents = new Map<ClaudeLine, ClaudeLine | null>();
  const byId = new Map<string | null, ClaudeLine>();
  /** By the last line that a summary kept, the id of the summary. */
  const summaries = new Map<ClaudeLine, string | null>();
  const titles: { custom?: string; ai?: string } = {};
  let sessionId: string | null = null;
  let agentId: string | null = null;
  let last: ClaudeLine | null = null;
  let latest: ClaudeLine | null = null;
  let latestMs = -Infinity;
  for (const json of file) {
    const line = lineSchema.safeParse(json).data;
    if (line) take(line);
    else session.skipped += 1;
  }
  session.title = titles.custom ?? titles.ai ?? null;
  const id = sessionId ?? session.id;
  session.id = session.isSubagent ? `${id}/${agentId ?? session.id}` : id;
  const wanted = new Set<ClaudeLine | null>();
  for (let at: ClaudeLine | null = latest; at && !wanted.has(at); at = parents.get(at) ?? null)
    wanted.add(at);
  const children = new Map(parents.entries().map(([line, parent]) => [parent, line]));
  for (let at = children.get(latest); at && !wanted.has(at); at = children.get(at)) wanted.add(at);
  const lines = [...parents.keys()];
  const messages = new Set(
    [...wanted].flatMap((line) => (line && isAnswer(line) ? messageId(line) : [])),
  );
  const isWanted = (line: ClaudeLine): boolean =>
    wanted.has(line) || (isAnswer(line) && messages.has(messageId(line)));
  const calls = new Set(lines.filter(isWanted).flatMap((line) => findIds(line, "tool_use", "id")));
  const isResult = (line: ClaudeLine): boolean =>
    findIds(line, "tool_result", "tool_use_id").some((call) => calls.has(call));
  return lines.filter((line) => isWanted(line) || isResult(line));

  function take(line: ClaudeLine): void {
    // A session that continues in another file copies its lines; the last ones are its own.
    sessionId = line.sessionId ?? sessionId;
    agentId ??= line.agentId;
    session.cwd ??= line.cwd;
    if (line.customTitle?.trim()) titles.custom = line.customTitle;
    if (line.aiTitle?.trim()) titles.ai = line.aiTitle;
    if (line.uuid !== null || line.type === "user" || isAnswer(line)) grow(line);
    else if (line.customTitle === null && line.aiTitle === null) session.skipped += 1;
  }

  function grow(line: ClaudeLine): void {
    const isSidechain = line.isSidechain === true;
    // The first line decides.
    if (last === null) session.isSubagent = isSidechain;
    if (isSidechain !== session.isSubagent || (line.uuid !== null && byId.has(line.uuid))) {
      session.skipped += 1;
      return;
    }
    parents.set(line, findParent(line));
    last = line;
    if (line.uuid !== null) byId.set(line.uuid, line);
    const kept = line.compactMetadata?.preservedSegment;
    const tail = byId.get(kept?.tailUuid ?? "");
    if (kept && tail && kept.anchorUuid !== line.uuid) summaries.set(tail, kept.anchorUuid);
    const atMs = readTime(line.timestamp) ?? -Infinity;
    const isSaid = (line.type === "user" || isAnswer(line)) && line.isMeta !== true;
    if (!isSaid || atMs < latestMs) return;
    latest = line;
    latestMs = atMs;
  }

  function findParent(line: ClaudeLine): ClaudeLine | null {
    const named = byId.get(line.parentUuid ?? "");
    // Lines after the last one that a summary kept follow the summary here.
    if (named) return byId.get(summaries.get(named) ?? "") ?? named;
    if (line.subtype === "compact_boundary") {
      // It starts a new tree, but follows what it compacted: the last line summarized or kept.
      const tail = line.compactMetadata?.preservedSegment?.tailUuid;
      const ends = [byId.get(tail ?? ""), byId.get(line.logicalParentUuid ?? "")];
      return [...parents.keys()].findLast((before) => ends.includes(before)) ?? last;
    }
    const follows =
      line.parentUuid !== null || line.isCompactSummary === true || line.uuid === null;
    return follows ? last : null;
  }
}

/** Each line of an answer holds one block; the one with the most output has the complete usage. */
function readAnswer(lines: readonly ClaudeLine[]): ForeignEvent[] {
  const [first] = lines;
  if (!first) return [];
  const model = first.message?.model ?? "unknown";
  const blocks = lines.flatMap(({ message }) => answerBlocks(message?.content));
  const content = [...new Map(blocks.map((block) => [JSON.stringify(block), block])).values()];
  const atMs = readTime(lines.at(-1)?.timestamp);
  if (first.isApiErrorMessage === true || model === "<synthetic>")
    return [{ type: "note", kind: "error", text: blockText(content), atMs }];
  const usages = lines.map(({ message }) => readUsage(message?.usage));
  const usage = usages.reduce((most, next) => (next.output >= most.output ? next : most));
  const ended = lines.findLast(({ message }) => message?.stop_reason)?.message?.stop_reason;
  // Lines that were written while the answer streamed have none.
  const stop = z.enum(modelStops).safeParse(ended).data;
  return [{ type: "answer", content, model, usage, stop, atMs }];
}

const readSummary = ({ message }: ClaudeLine, meta: ClaudeLine["compactMetadata"]) => ({
  type: "summary" as const,
  text: blockText(contentBlocks(message?.content)),
  trigger: meta?.trigger === "manual" ? ("command" as const) : ("auto" as const),
  tokensBefore: meta?.preTokens ?? 0,
  tokensAfter: meta?.postTokens ?? null,
});

function readLine(line: ClaudeLine, session: Conversation): Untimed[] {
  const { message, attachment } = line;
  if (line.type === "user") {
    const blocks: unknown[] = Array.isArray(message?.content) ? message.content : [];
    const isResult = (block: unknown) => isRecord(block) && block["type"] === "tool_result";
    const results = blocks
      .filter(isRecord)
      .filter(isResult)
      .map(({ tool_use_id: call, ...rest }) => ({
        type: "result" as const,
        call: typeof call === "string" ? call : "",
        content: contentBlocks(rest["content"]),
        isError: rest["is_error"] === true,
      }));
    const words =
      typeof message?.content === "string"
        ? message.content
        : blocks.filter((block) => !isResult(block));
    return [...results, ...readSaid(line, contentBlocks(words))];
  }
  // Messages that were typed while the agent worked, and files that the user attached.
  if (attachment?.type === "queued_command")
    return readSaid(line, contentBlocks(attachment.prompt));
  const file = isRecord(attachment?.content) ? attachment.content["file"] : null;
  if (attachment?.type === "file" && isRecord(file) && typeof file["content"] === "string") {
    const title = terminalLine(attachment.filename ?? "", 200) || "file";
    const content = contentBlocks(file["content"]);
    return [{ type: "context", kind: "reminder", title, content }];
  }
  if (line.subtype !== "compact_boundary") session.skipped += 1;
  return [];
}

function readSaid({ isMeta }: ClaudeLine, content: UserBlock[]): Untimed[] {
  if (content.length === 0) return [];
  const event = readWords(content, marks);
  return event.type === "user" && isMeta === true
    ? [{ type: "context", kind: "reminder", title: "reminder", content }]
    : [event];
}

/** Usage as Anthropic's API reports it. */
function readUsage(usage: unknown): Usage {
  const written1h = isRecord(usage)
    ? readCount(usage["cache_creation"], "ephemeral_1h_input_tokens")
    : 0;
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
