/** opencode: what `opencode export` prints, a session with its messages and their parts. */

import { z } from "zod";
import { anything, isRecord, maybe } from "../json.ts";
import { Skipped } from "../skipped.ts";
import type { Reader, ReadResult } from "../source.ts";
import type { SourceFile } from "../source-file.ts";
import { convertMessages, messageSchema, type OpencodeMessage } from "./message.ts";

const text = maybe(z.string());

const sessionSchema = z.object({
  id: z.string(),
  title: text,
  directory: text,
  parentID: text,
  time: maybe(z.object({ created: maybe(z.number()) })),
});

type OpencodeSession = z.infer<typeof sessionSchema>;

const documentSchema = z.object({
  info: sessionSchema,
  messages: z.array(z.object({ info: z.looseObject({ role: z.string() }), parts: anything })),
});

export const opencode: Reader = {
  agent: "opencode",
  recognizes: (json) =>
    isRecord(json) && "messages" in json && documentSchema.safeParse(json).success,
  read(file: SourceFile, document = file.json()): ReadResult {
    const skipped = new Skipped();
    const { info, messages } = documentSchema.parse(document);
    const read = messages.flatMap((one): OpencodeMessage[] => {
      const parsed = messageSchema.safeParse({ ...one.info, parts: one.parts });
      if (!parsed.success) skipped.add("messages that cannot be read");
      return parsed.success ? [parsed.data] : [];
    });
    return sessionResult(info, file.bytes, skipped, read.length > 0, () => read);
  },
};

/** A session whose messages are read when it is converted. */
export function sessionResult(
  session: OpencodeSession,
  bytes: number,
  skipped: Skipped,
  hasConversation: boolean,
  messages: () => Iterable<OpencodeMessage>,
): ReadResult {
  return {
    info: {
      agent: "opencode",
      id: session.id,
      cwd: session.directory,
      title: session.title,
      startedMs: session.time?.created ?? null,
      isSubagent: session.parentID !== null,
      bytes,
    },
    skipped,
    hasConversation,
    convert: (writer) => convertMessages(messages(), writer, skipped),
  };
}
