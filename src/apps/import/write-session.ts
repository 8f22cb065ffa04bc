import { isAbsolute, normalize } from "node:path";
import type { ToolDefinition } from "../../protocol/model.ts";
import type { SessionFact } from "../../protocol/entry.ts";
import { plainLine } from "./json.ts";
import type { Skipped } from "./skipped.ts";
import { EntryWriter, type Target } from "./entry-writer.ts";
import { closingWords } from "./import-index.ts";
import type { SourceInfo, ReadResult } from "./source.ts";

/** What an imported session needs of ours to be gone on with. */
export type Destination = {
  /** Format of our logs. */
  version: number;
  system: string;
  tools: ToolDefinition[];
  /** The model that goes on with it. */
  model: string;
};

/** The folder that a session was held in, where it is one of this machine; null: nobody knows. */
export function folderOf({ cwd }: SourceInfo): string | null {
  if (cwd === null || cwd.length > 4_096 || !isAbsolute(cwd) || cwd.includes("\0")) return null;
  const path = normalize(cwd.toWellFormed());
  return path.length > 1 ? path.replace(/\/$/, "") : path;
}

/** `title`: as it was called, else the person's first words. */
export type Written = { conversation: number; lastMs: number; title: string };

/**
 * Writes a session as ours: its beginning, all that happened, and at the end what the person and the
 * next model have to know. Another model's name stands behind it all, so that none of the thinking,
 * which is bound to what another program sent, is ever sent again.
 */
export function writeSession(
  reading: ReadResult,
  file: string,
  name: string,
  cwd: string,
  target: Target,
  house: Destination,
): Written {
  const { about, leftOut } = reading;
  const { agent, id, bytes } = about;
  const session: SessionFact = {
    type: "session",
    version: house.version,
    session: name,
    cwd,
    model: agent,
    system: house.system,
    tools: house.tools,
    imported: { agent, id: id.slice(0, 1_000).toWellFormed(), file: file.toWellFormed(), bytes },
  };
  const scribe = new EntryWriter(target, agent, session, about.startedMs ?? 0);
  reading.tell(scribe);
  const { conversation } = scribe;
  const title = plainLine(about.title ?? "", 120);
  if (title !== "") scribe.note("title", title, scribe.lastMs);
  const lastMs = scribe.lastMs;
  scribe.context("reminder", "imported", [{ type: "text", text: newsFor(agent) }], lastMs);
  scribe.model(house.model, lastMs);
  scribe.note("info", closing(about, file, leftOut), lastMs);
  return { conversation, lastMs, title: title || plainLine(scribe.firstWords, 120) };
}

const newsFor = (agent: string): string =>
  `The conversation up to here was held with ${agent} and was imported. Tools that it names may not exist here: use those that you are given. Files may have changed since; read them again before you rely on them.`;

function closing({ agent, id }: SourceInfo, file: string, leftOut: Skipped): string {
  const kinds = leftOut.kinds.map(([kind, count]) => `${count} ${kind}`).join(", ");
  const left = kinds === "" ? "Nothing was left out." : `Left out: ${kinds}.`;
  return `${closingWords}${agent}, session ${plainLine(id, 200)}, ${plainLine(file, 300)}. ${left}`;
}
