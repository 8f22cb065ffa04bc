import { entriesIn, searchEntries } from "../../log/search.ts";
import type { SessionInfo } from "../../log/catalog.ts";
import type { Progress } from "../../base/long-work.ts";
import type { Entry } from "../../protocol/entry.ts";
import { describeSessionLine } from "./describe.ts";

type SearchIo = {
  sessions: readonly SessionInfo[];
  resultsFolder: string;
  progress: Progress | undefined;
  /** Most hits that are shown. */
  limit: number;
};

/** Who says a hit, in as few letters as fit. */
const speakers: Partial<Record<Entry["type"], string>> = {
  user: "you",
  assistant: "model",
  result: "result",
  context: "context",
};

/**
 * Searches sessions for words: those with the best hit first, each with a line of preview for every
 * hit. Sessions that cannot be read are skipped.
 */
export async function searchSessions(
  query: string,
  { sessions, resultsFolder, progress, limit }: SearchIo,
): Promise<string> {
  const origins = new Map<Entry, SessionInfo>();
  const hits = await searchEntries(allEntries(), query, { limit, resultsFolder });
  const bySession = Map.groupBy(hits, ({ source }) => origins.get(source));
  let text = "";
  for (const [session, found] of bySession) {
    if (!session) continue;
    text += `${describeSessionLine(session)}\n`;
    for (const { entry, source, snippet } of found)
      text += `  #${entry.padEnd(6)} ${(speakers[source.type] ?? source.type).padEnd(7)} ${snippet}\n`;
  }
  return text || `No session has ${query}.\n`;

  async function* allEntries(): AsyncGenerator<Entry, void> {
    for (const [done, session] of sessions.entries()) {
      progress?.(done, sessions.length, session.session);
      try {
        for await (const entry of entriesIn(session.file)) {
          origins.set(entry, session);
          yield entry;
        }
      } catch {
        // It was removed meanwhile, or cannot be read.
      }
    }
  }
}
