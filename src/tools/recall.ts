/** The tool `Recall`: searches sessions, and opens content that was summarized, cleared or saved to a file. */

import { z } from "zod";
import { upTo } from "./inputs.ts";
import { atLineEnd, takeStart } from "../base/clip.ts";
import { ago } from "../base/format.ts";
import type { ToolInput } from "../protocol/block.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import { isOutcome } from "../protocol/outcome.ts";
import { changedSince } from "./files/changed-files.ts";
import { textOutput, ToolError, touchesNothing, type Tool } from "./tool.ts";
import description from "./recall.md" with { type: "text" };

type MemoryHit = {
  entry: EntryId;
  at: string;
  source: Entry;
  snippet: string;
  /** Null in the open session. */
  session: string | null;
};

/** `skips` excludes entries. */
type RecallSearchOptions = {
  signal?: AbortSignal | undefined;
  skips?: ((entry: Entry) => boolean) | undefined;
};

type Original = {
  entry: Entry;
  text: { lines: number; read(from: number, to: number): Promise<string[]> };
};

/** The sessions, as Recall searches them. */
export interface Memory {
  search(query: string, limit: number, options?: RecallSearchOptions): Promise<MemoryHit[]>;
  searchProject(query: string, limit: number, options?: RecallSearchOptions): Promise<MemoryHit[]>;
  open(id: EntryId, session: string | null): Promise<Original | null>;
  findCall(entry: Entry): { name: string; input: ToolInput } | null;
}

const schema = z.strictObject({
  query: z.string().max(1_000).optional().describe("Words to search for; either this or `open`."),
  open: z
    .string()
    .max(200)
    .optional()
    .describe("A handle such as #e41, from a result or placeholder."),
  scope: z
    .enum(["session", "project"])
    .optional()
    .describe("This session by default; project: its earlier sessions."),
  offset: z.number().int().min(1).optional().describe("First line of an opened original."),
  limit: upTo(1_000).describe("Lines of an opened original (200), or number of results (8)."),
});

type RecallInput = z.infer<typeof schema>;

const maxFound = 20;
/** Below the size at which a result is persisted again. */
const shownChars = 24_000;

type RecallOptions = {
  memory: Memory;
  now(): number;
  show(path: string): string;
  /** The message being answered, which always contains the words of the query. */
  asking(): EntryId | null;
};

/** Searches and shows content that left the context. */
export function recallTool(options: RecallOptions): Tool<RecallInput> {
  return {
    name: "Recall",
    description,
    schema,
    readOnly: true,
    async intent({ query, open }) {
      const title = open === undefined ? `Recall ${query ?? "nothing"}` : `Open ${open}`;
      return touchesNothing(title, title);
    },
    async run(input, { signal }) {
      const { open } = input;
      if (open !== undefined) return textOutput(await original(options, open, input));
      return textOutput(await findings(options, input, signal));
    },
  };
}

async function findings(
  options: RecallOptions,
  { query = "", scope = "session", limit = 8 }: RecallInput,
  signal: AbortSignal,
): Promise<string> {
  if (query.trim() === "") throw new ToolError("Recall needs `query`, or `open` with a handle.");
  const asking = scope === "session" ? options.asking() : null;
  const found = await searchMemory(options.memory, scope, query, Math.min(limit, maxFound), {
    signal,
    skips: ({ id }) => id === asking,
  });
  if (signal.aborted) throw new ToolError("Interrupted before the search was complete.");
  if (found.length === 0) {
    const other = scope === "session" ? ' Earlier sessions: scope "project".' : "";
    return `No matches in ${scope === "session" ? "this session" : "the project's earlier sessions"}.${other}`;
  }
  return (await Promise.all(found.map((hit) => describeHit(options, hit)))).join("\n");
}

/** Hits in this session or in the project's others, without earlier searches. */
export async function searchMemory(
  memory: Pick<Memory, "search" | "searchProject">,
  scope: "session" | "project",
  query: string,
  limit: number,
  options: RecallSearchOptions = {},
): Promise<MemoryHit[]> {
  const search = scope === "session" ? "search" : "searchProject";
  return memory[search](query, limit, {
    ...options,
    skips: (entry) => isEcho(entry) || options.skips?.(entry) === true,
  });
}

/** A search and its result contain the words of the query. */
const isEcho = (entry: Entry): boolean =>
  entry.type === "result"
    ? entry.tool === "Recall"
    : entry.type === "assistant" &&
      entry.content.some((block) => block.type === "tool_use" && block.name === "Recall");

async function describeHit(options: RecallOptions, found: MemoryHit): Promise<string> {
  const { source, session, snippet, at } = found;
  const handle = `${session ?? ""}#${found.entry}`;
  const call = session === null ? options.memory.findCall(source) : null;
  return [
    `${handle}  ${ago(options.now() - Date.parse(at))}  ${describeEntry(source, call)}`,
    `    ${snippet}`,
    ...(await stale(source, options.show)).map((line) => `    ${line}`),
  ].join("\n");
}

/** The files of a result that have changed since, a few words each. */
export async function stale(entry: Entry, show: (path: string) => string): Promise<string[]> {
  if (!isOutcome(entry)) return [];
  const changes = await changedSince(entry.stamps ?? []);
  return changes.map(({ path, how }) =>
    how === "gone" ? `${show(path)} was deleted since` : `${show(path)} changed since`,
  );
}

async function original(
  options: RecallOptions,
  handle: string,
  { offset = 1, limit = 200 }: RecallInput,
): Promise<string> {
  const found = /^(?:([\w.-]+)(?=#))?#?(e\d+)$/.exec(handle.trim());
  const [, session = null, id = ""] = found ?? [];
  const opened = found ? await options.memory.open(id, session) : null;
  if (!opened)
    throw new ToolError(
      `There is no ${handle}. Use a handle such as #e41 from a search result or placeholder.`,
    );
  const { entry, text } = opened;
  const lines = await text.read(offset - 1, offset - 1 + limit);
  const whole = lines.join("\n");
  const shown = whole.length > shownChars ? atLineEnd(takeStart(whole, shownChars)) : whole;
  const last = offset - 1 + shown.split("\n").length;
  const call = session === null ? options.memory.findCall(entry) : null;
  return [
    `[${handle.trim()}, ${ago(options.now() - Date.parse(entry.at))}, ${describeEntry(entry, call)}]`,
    ...(await stale(entry, options.show)).map((line) => `[${line}]`),
    lines.length === 0 ? `[It has ${text.lines} lines.]` : shown,
    ...(last < text.lines && lines.length > 0
      ? [`[Lines ${offset}-${last} of ${text.lines}. Continue with offset ${last + 1}.]`]
      : []),
  ].join("\n");
}

const inputChars = 160;

/** An entry in a few words, for the model. `call`: the call of a result, if known. */
function describeEntry(entry: Entry, call: { input: ToolInput } | null): string {
  switch (entry.type) {
    case "user":
      return "the user said";
    case "assistant":
      return "you said";
    case "context":
      return `${entry.kind}: ${oneLine(entry.title)}`;
    case "result":
    case "step": {
      const files = (entry.stamps ?? []).map(({ path }) => path).join(", ");
      const input = call ? JSON.stringify(call.input) : files;
      return `result of ${entry.tool} ${takeStart(oneLine(input), inputChars)}`.trim();
    }
    default:
      return entry.type;
  }
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, " ");
