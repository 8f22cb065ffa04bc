import { Database } from "bun:sqlite";
import { z } from "zod";
import { attempt } from "../../base/guards.ts";
import { claudeCode } from "./claude-code/reader.ts";
import { codex } from "./codex/reader.ts";
import { gemini } from "./gemini/reader.ts";
import { isRecord, parseJson } from "./json.ts";
import { opencode, sessionsIn } from "./opencode/reader.ts";
import { pi } from "./pi/reader.ts";
import type { Reader, ReadResult } from "./source.ts";
import type { SourceFile } from "./source-file.ts";

const readers: readonly Reader[] = [pi, codex, claudeCode, gemini, opencode];

/** Lines to examine: a file may begin with damaged or unspecific lines. */
const maxLines = 2_000;

const own = z.object({ type: z.literal("session"), parent: z.null(), at: z.string() });

/**
 * The sessions in a file, of whichever agent wrote it: judged by its content, not by its name. They
 * are converted while the file is open. A sentence says why there are none.
 */
export function sourcesIn(file: SourceFile): ReadResult[] | string {
  if (file.lineAt({ offset: 0, bytes: databaseStart.length }) === databaseStart)
    return databaseSources(file);
  for (const { text } of file.lines().take(maxLines)) {
    const json = parseJson(text ?? "");
    if (own.safeParse(json).success) return "it is already a mini-claude session";
    if (isRecord(json) && typeof json["session"] === "string" && "output_tokens_reliable" in json)
      return "it is a recording, which mini-claude replay can read directly";
    const reader = readerOf(json);
    if (reader) return [dated(reader.read(file), file)];
  }
  // One JSON value over many lines.
  const document = file.json();
  const reader = readerOf(document);
  return reader
    ? [dated(reader.read(file, document), file)]
    : "it contains no session of Claude Code, pi, Codex, Gemini CLI or opencode";
}

const readerOf = (json: unknown): Reader | undefined => readers.find((one) => one.recognizes(json));

function dated(source: ReadResult, { changedMs }: SourceFile): ReadResult {
  source.info.startedMs ??= changedMs;
  return source;
}

/** How an SQLite database begins. */
const databaseStart = "SQLite format 3\0";

function databaseSources(file: SourceFile): ReadResult[] | string {
  const database = new Database(file.path, { readonly: true });
  file.onClose = () => database.close();
  return attempt(() => sessionsIn(database), "it is a database, but not opencode's");
}
