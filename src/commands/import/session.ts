/** One session of another agent, from its file to our entries. */

import { isAbsolute, normalize } from "node:path";
import { z } from "zod";
import { logVersion } from "../../log/parse.ts";
import type { SessionFact } from "../../protocol/entry.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { terminalLine } from "../../base/escape-terminal.ts";
import { beginConversation, type Conversation, SourceFile, type Reader } from "./source.ts";
import { EntryWriter, isSaid, type Destination } from "./writer.ts";

const readers: readonly Reader[] = [codex, claudeCode];

/** Lines to examine: a file may begin with damaged or unspecific lines. */
const maxLines = 2_000;

const ownHeader = z.object({ type: z.literal("session"), parent: z.null(), at: z.string() });

/** `startedMs`: when the first message was sent; without any time, when the file was changed. */
export type ReadSession = { session: Conversation; file: string; startedMs: number };

/**
 * Reads the session in a file, of whichever agent wrote it: judged by its content, not by its name. A
 * sentence says why there is none. Throws when the file cannot be read.
 */
export function readSession(path: string): ReadSession | string {
  const file = new SourceFile(path);
  for (const json of file.lines().take(maxLines)) {
    if (ownHeader.safeParse(json).success) return "it is already a mini-claude session";
    const reader = readers.find(({ recognizes }) => recognizes(json));
    if (!reader) continue;
    const session = beginConversation(reader.agent, file);
    reader.read(file, session);
    const said = session.events.filter(isSaid);
    if (said.length === 0) return "it contains no conversation";
    const startedMs = said.find(({ atMs }) => atMs !== null)?.atMs ?? file.changedMs;
    return { session, file: path, startedMs };
  }
  return "it contains no session of Claude Code or Codex";
}

/** Facts that an imported session needs to be resumed here. */
export type Setup = {
  system: string;
  tools: ToolDefinition[];
  /** The model that continues it. */
  model: string;
};

/** The folder of the session; null when it is unknown or not a path of this machine. */
export function readFolder({ cwd }: Pick<Conversation, "cwd">): string | null {
  if (cwd === null || cwd.length > 4_096 || !isAbsolute(cwd) || cwd.includes("\0")) return null;
  const path = normalize(cwd);
  return path.length > 1 ? path.replace(/\/$/, "") : path;
}

/**
 * Writes the log of an imported session: its start, everything that happened, and at the end what
 * the user and the next model need to know. It ends with a change of model, so that none of the
 * thinking, which is bound to what another program sent, is ever sent again. Returns its title: as
 * given, else the first words of the user.
 */
export function writeSession(
  read: ReadSession,
  { name, cwd }: { name: string; cwd: string },
  target: Destination,
  setup: Setup,
) {
  const { session, file, startedMs } = read;
  const { agent, id, bytes, skipped } = session;
  const opening: SessionFact = {
    type: "session",
    version: logVersion,
    session: name,
    cwd,
    model: agent,
    system: setup.system,
    tools: setup.tools,
    imported: { agent, id: id.slice(0, 1_000).toWellFormed(), file: file.toWellFormed(), bytes },
  };
  const writer = new EntryWriter(target, agent, opening, startedMs);
  for (const event of session.events) writer.write(event);
  const atMs = writer.lastMs;
  const title = terminalLine(session.title ?? "", 120);
  if (title !== "") writer.write({ type: "note", kind: "title", text: title, atMs });
  const content = [{ type: "text" as const, text: handoverText(agent) }];
  writer.write({ type: "context", kind: "reminder", title: "imported", content, atMs });
  writer.write({ type: "model", model: setup.model, atMs });
  const closing = `Imported from ${agent}, ${terminalLine(file, 200)}.`;
  const text = skipped === 0 ? closing : `${closing} Lines without a counterpart here: ${skipped}.`;
  writer.write({ type: "note", kind: "info", text, atMs });
  return { lastMs: writer.lastMs, title: title || terminalLine(writer.firstWords, 120) };
}

const handoverText = (agent: string): string =>
  `The conversation so far was held with ${agent} and has been imported. Tools that it mentions may not exist here: use only the tools you are given. Files may have changed since; read them again before relying on them.`;
