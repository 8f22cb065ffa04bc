import { readFolder, readSession, writeSession } from "../../../src/commands/import/session.ts";
import type { Entry, EntryId, Fact } from "../../../src/protocol/entry.ts";

/** The entries that a file is imported as; null when no session is found in it. */
export function importFile(path: string): Entry[] | null {
  const read = readSession(path);
  if (typeof read === "string") return null;
  const entries: Entry[] = [];
  const target = {
    append(fact: Fact, at: string, parent: EntryId | null): EntryId {
      const id = `e${entries.length + 1}`;
      entries.push({ id, parent, at, ...fact });
      return id;
    },
  };
  const { id: name, agent: model } = read.session;
  const cwd = readFolder(read.session) ?? "/";
  writeSession(read, { name, cwd }, target, { system: "", tools: [], model });
  return entries;
}
