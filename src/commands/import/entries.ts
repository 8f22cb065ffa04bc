import type { Entry, EntryId, Fact } from "../../protocol/entry.ts";
import { sourcesIn } from "./detect.ts";
import { folderOf, writeSession } from "./write-session.ts";
import { SourceFile } from "./source-file.ts";

/**
 * Converts a session of another agent in memory, for the replay: the latest one of a database. Null
 * when the file holds no such session. Throws when it cannot be read.
 */
export function entriesIn(path: string): Entry[] | null {
  using file = new SourceFile(path);
  const sources = sourcesIn(file);
  const source = typeof sources === "string" ? null : sources.at(-1);
  if (!source) return null;
  const entries: Entry[] = [];
  const target = {
    append(fact: Fact, at: string, parent: EntryId | null): EntryId {
      const id = `e${entries.length + 1}`;
      entries.push({ id, parent, at, ...fact });
      return id;
    },
  };
  const destination = { system: "", tools: [], model: source.info.agent };
  writeSession(source, path, source.info.id, folderOf(source.info) ?? "/", target, destination);
  return entries;
}
