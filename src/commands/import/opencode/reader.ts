/**
 * opencode: what `opencode export` prints, a session with its messages and their parts; and
 * `~/.local/share/opencode/opencode.db`, where it has kept all sessions since version 1.2.
 */

import { Database } from "bun:sqlite";
import { z } from "zod";
import { anything, count, isRecord, maybe, parseJson, text } from "../json.ts";
import type { Skipped } from "../skipped.ts";
import { Findings, type Reader, type ReadResult } from "../source.ts";
import { convertMessages, readMessage, type OpencodeMessage } from "./message.ts";

const sessionSchema = z.object({
  id: z.string(),
  title: text,
  directory: text,
  parentID: text,
  time: maybe(z.object({ created: count })),
});

const documentSchema = z.object({
  info: sessionSchema,
  messages: z.array(z.object({ info: z.looseObject({ role: z.string() }), parts: anything })),
});

export const opencode: Reader = {
  recognizes: (json) =>
    isRecord(json) && "messages" in json && documentSchema.safeParse(json).success,
  read(file, document = file.json()) {
    const { info, messages } = documentSchema.parse(document);
    const found = new Findings();
    const read = messages.flatMap((one) =>
      readMessage({ ...one.info, parts: one.parts }, found.skipped),
    );
    found.hasConversation = read.length > 0;
    return sessionResult(info, found, file.bytes, () => read);
  },
};

/** A session whose messages are read when it is converted. */
function sessionResult(
  { id, directory, title, time, parentID }: z.infer<typeof sessionSchema>,
  found: Findings,
  bytes: number,
  messages: () => Iterable<OpencodeMessage>,
): ReadResult {
  found.id = id;
  found.cwd = directory;
  found.title = title;
  found.startedMs = time?.created ?? null;
  found.isSubagent = parentID !== null;
  return found.result("opencode", id, bytes, (writer) => convertMessages(messages(), writer));
}

const sessionRow = z.object({
  id: z.string(),
  parent_id: text,
  directory: text,
  title: text,
  time_created: count,
  messages: z.number(),
  bytes: count,
});

const dataRow = z.object({ id: z.string(), data: z.string() });

const sessionsQuery = `
  SELECT id, parent_id, directory, title, time_created,
    (SELECT count(*) FROM message WHERE session_id = session.id) AS messages,
    (SELECT sum(length(data)) FROM part WHERE session_id = session.id) AS bytes
  FROM session ORDER BY time_created`;

/**
 * Counts the tables that are plain: in a hostile file, reading a view or a computed column may
 * never end.
 */
const plainTables = `
  SELECT count(*) AS count FROM sqlite_master AS one
  WHERE name IN ('session', 'message', 'part') AND type = 'table' AND rootpage > 0
    AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(one.name) WHERE hidden <> 0)`;

/** Every session. They are read while the database is open; throws when it is not opencode's. */
export function sessionsIn(database: Database): ReadResult[] {
  const tables = z.object({ count: z.number() }).parse(database.query(plainTables).get());
  if (tables.count !== 3) throw new Error("It has other tables.");
  return database
    .query(sessionsQuery)
    .all()
    .flatMap((raw) => {
      const parsed = sessionRow.safeParse(raw);
      if (!parsed.success) return [];
      const { parent_id: parentID, time_created: created, messages, bytes, ...row } = parsed.data;
      const session = { ...row, parentID, time: { created } };
      const found = new Findings();
      found.hasConversation = messages > 0;
      const read = () => messagesOf(database, session.id, found.skipped);
      return [sessionResult(session, found, bytes ?? 0, read)];
    });
}

function* messagesOf(
  database: Database,
  session: string,
  skipped: Skipped,
): Generator<OpencodeMessage> {
  const messages = database.query(
    "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
  );
  const parts = database.query("SELECT id, data FROM part WHERE message_id = ? ORDER BY id");
  for (const row of messages.all(session)) {
    const { id, json } = dataIn(row);
    const held = parts.all(id).map((part) => dataIn(part).json);
    yield* readMessage(isRecord(json) ? { ...json, parts: held } : null, skipped);
  }
}

function dataIn(row: unknown): { id: string; json: unknown } {
  const { data: found } = dataRow.safeParse(row);
  return { id: found?.id ?? "", json: found && parseJson(found.data) };
}
