/** opencode: what `opencode export` prints, a session with its messages and their parts. */

import { z } from "zod";
import { anything, count, isRecord, maybe, text } from "../json.ts";
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
export function sessionResult(
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
