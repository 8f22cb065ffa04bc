/** Writes the log of one imported session. */

import { isAbsolute, normalize } from "node:path";
import { logVersion } from "../../log/parse.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import type { SessionFact } from "../../protocol/entry.ts";
import { cleanLine } from "./json.ts";
import { kindsInWords, type Skipped } from "./skipped.ts";
import { EntryWriter, type Target } from "./entry-writer.ts";
import { closingPrefix } from "./import-index.ts";
import type { SourceInfo, ReadResult } from "./source.ts";

/** What an imported session needs to be resumed here. */
export type Destination = {
  system: string;
  tools: ToolDefinition[];
  /** The model that continues it. */
  model: string;
};

/** The folder of the session; null when it is unknown or not a path of this machine. */
export function folderOf({ cwd }: SourceInfo): string | null {
  if (cwd === null || cwd.length > 4_096 || !isAbsolute(cwd) || cwd.includes("\0")) return null;
  const path = normalize(cwd.toWellFormed());
  return path.length > 1 ? path.replace(/\/$/, "") : path;
}

/**
 * Writes the log of an imported session: its start, everything that happened, and at the end what
 * the user and the next model need to know. It ends with a change of model, so that none of the
 * thinking, which is bound to what another program sent, is ever sent again. Returns its title: as
 * given, else the first words of the user.
 */
export function writeSession(
  source: ReadResult,
  file: string,
  name: string,
  cwd: string,
  target: Target,
  destination: Destination,
) {
  const { info, skipped } = source;
  const { agent, id, bytes } = info;
  const session: SessionFact = {
    type: "session",
    version: logVersion,
    session: name,
    cwd,
    model: agent,
    system: destination.system,
    tools: destination.tools,
    imported: { agent, id: id.slice(0, 1_000).toWellFormed(), file: file.toWellFormed(), bytes },
  };
  const writer = new EntryWriter(target, agent, skipped, session, info.startedMs ?? 0);
  source.convert(writer);
  const { conversation, lastMs } = writer;
  const title = cleanLine(info.title ?? "", 120);
  writer.at(lastMs);
  if (title !== "") writer.note("title", title);
  writer.context("reminder", "imported", [{ type: "text", text: handoverText(agent) }]);
  writer.model(destination.model);
  writer.note("info", closing(info, file, skipped));
  return { conversation, lastMs, title: title || cleanLine(writer.firstWords, 120) };
}

const handoverText = (agent: string): string =>
  `The conversation so far was held with ${agent} and has been imported. Tools that it mentions may not exist here: use only the tools you are given. Files may have changed since; read them again before relying on them.`;

function closing({ agent }: SourceInfo, file: string, { kinds }: Skipped): string {
  const skipped = kindsInWords(kinds, 3);
  const note = skipped === "" ? "" : ` Skipped: ${skipped}.`;
  return `${closingPrefix}${agent}, ${cleanLine(file, 200)}.${note}`;
}
