import type { Entry, EntryId, Fact } from "../../protocol/entry.ts";
import { detect } from "./detect.ts";
import { folderOf, writeSession } from "./write-session.ts";
import { SourceFile } from "./source-file.ts";

/**
 * A session of another agent as entries of ours, in memory, for who only wants to look. Null: the
 * file holds no such session. Throws when it cannot be read.
 */
export function entriesIn(path: string): Entry[] | null {
  const file = new SourceFile(path);
  try {
    const { reader } = detect(file);
    if (reader === null) return null;
    const entries: Entry[] = [];
    const reading = reader.read(file);
    reading.about.startedMs ??= file.changedMs;
    const target = {
      append(fact: Fact, at: string, parent: EntryId | null): EntryId {
        const id = `e${entries.length + 1}`;
        entries.push({ id, parent, at, ...fact });
        return id;
      },
    };
    const house = { version: 1, system: "", tools: [], model: reading.about.agent };
    writeSession(reading, path, reading.about.id, folderOf(reading.about) ?? "/", target, house);
    return entries;
  } finally {
    file.close();
  }
}
