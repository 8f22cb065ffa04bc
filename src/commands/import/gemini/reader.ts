/**
 * Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.jsonl`. One line describes the session, and each
 * message has a line, which is written again when the message changes. `$rewindTo` removes a message
 * and everything after it. Older versions wrote one JSON object with all messages.
 */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { attempt } from "../../../base/guards.ts";
import { anything, isRecord, maybe, parseJson, timeOf, text } from "../json.ts";
import { Findings, type Reader } from "../source.ts";
import { convertMessage, messageSchema } from "./message.ts";

const headerSchema = z.object({
  sessionId: z.string(),
  projectHash: z.string(),
  startTime: anything,
  summary: text,
  kind: text,
  messages: maybe(z.array(anything)),
});

/** The order of messages, and where the latest version of each is. */
class Conversation {
  /** Fields of the session, as far as the file has them. */
  #fields: Record<string, unknown> = {};
  /** A message is read again when it is converted; those of an old file are kept. */
  readonly messages = new Map<string, () => unknown>();

  get header(): z.infer<typeof headerSchema> | undefined {
    return headerSchema.safeParse(this.#fields).data;
  }

  take(json: unknown, read: () => unknown): void {
    if (!isRecord(json)) return;
    const { $rewindTo: to, $set: changes, id } = json;
    if (typeof to === "string") this.#rewind(to);
    else if (isRecord(changes)) this.#set(changes);
    else if (typeof id === "string") this.messages.set(id, read);
    else if (headerSchema.safeParse(json).success) this.#set(json);
  }

  #set({ messages, ...fields }: Record<string, unknown>): void {
    this.#fields = { ...this.#fields, ...fields };
    if (!Array.isArray(messages)) return;
    this.messages.clear();
    for (const one of messages) this.take(one, () => one);
  }

  #rewind(to: string): void {
    const ids = [...this.messages.keys()];
    const first = Math.max(0, ids.indexOf(to));
    for (const id of ids.slice(first)) this.messages.delete(id);
  }
}

export const gemini: Reader = {
  recognizes: (json) => headerSchema.safeParse(json).success,
  read(file, document) {
    const found = new Findings();
    const conversation = new Conversation();
    let bytes = file.bytes;
    if (document !== undefined) conversation.take(document, () => document);
    else
      bytes = file.eachJson(found.skipped, (json, place) =>
        conversation.take(json, () => parseJson(file.lineAt(place))),
      );
    const { header, messages } = conversation;
    found.id = header?.sessionId ?? null;
    found.cwd = folderOf(file.path, header?.projectHash ?? "");
    found.title = header?.summary ?? null;
    found.startedMs = timeOf(header?.startTime);
    found.isSubagent = header?.kind === "subagent";
    found.hasConversation = messages.size > 0;
    return found.result("Gemini CLI", file.path, bytes, (writer) => {
      for (const read of messages.values()) {
        const message = messageSchema.safeParse(read());
        if (message.success) convertMessage(message.data, writer);
        else writer.skipped.add("messages that cannot be read");
      }
    });
  },
};

/** Recordings name their folder by a hash; newer versions keep its path beside them. */
function folderOf(path: string, hash: string): string | null {
  const file = join(dirname(dirname(path)), ".project_root");
  const folder = attempt(() => readFileSync(file, "utf8").trim(), null);
  if (folder === null || !/^[0-9a-f]{64}$/.test(hash)) return folder;
  return new Bun.CryptoHasher("sha256").update(folder).digest("hex") === hash ? folder : null;
}
