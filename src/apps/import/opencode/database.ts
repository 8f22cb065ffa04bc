/** `~/.local/share/opencode/opencode.db`, where opencode has kept all sessions since version 1.2. */

import { Database } from "bun:sqlite";
import { z } from "zod";
import { count, isRecord, parseJson, text } from "../json.ts";
import type { Skipped } from "../skipped.ts";
import { Findings, type ReadResult } from "../source.ts";
import { readMessage, type OpencodeMessage } from "./message.ts";
import { sessionResult } from "./reader.ts";

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
