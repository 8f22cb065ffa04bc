import { Database } from "bun:sqlite";
import { z } from "zod";
import { claudeCode } from "./claude-code/reader.ts";
import { codex } from "./codex/reader.ts";
import { gemini } from "./gemini/reader.ts";
import { isRecord, parseJson } from "./json.ts";
import { sessionsIn } from "./opencode/database.ts";
import { opencode } from "./opencode/reader.ts";
import { pi } from "./pi/reader.ts";
import type { Reader, ReadResult } from "./source.ts";
import type { SourceFile } from "./source-file.ts";

const readers: readonly Reader[] = [pi, codex, claudeCode, gemini, opencode];

/** Lines to examine: a file may begin with damaged or unspecific lines. */
const maxLines = 2_000;

const own = z.object({ type: z.literal("session"), parent: z.null(), at: z.string() });

type Detected = { reader: Reader; document?: unknown } | { reader: null; reason: string };

type Sources = { sources: ReadResult[] } | { sources: null; reason: string };

/**
 * The sessions in a file, of whichever agent wrote it: judged by its content, not by its name. They
 * are converted while the file is open.
 */
export function sourcesIn(file: SourceFile): Sources {
  if (file.lineAt({ offset: 0, bytes: databaseStart.length }) === databaseStart)
    return databaseSources(file);
  const detected = detect(file);
  if (detected.reader === null) return { sources: null, reason: detected.reason };
  const { reader, document } = detected;
  const source = document === undefined ? reader.read(file) : reader.read(file, document);
  source.info.startedMs ??= file.changedMs;
  return { sources: [source] };
}

/** How an SQLite database begins. */
const databaseStart = "SQLite format 3\0";

function databaseSources(file: SourceFile): Sources {
  const database = new Database(file.path, { readonly: true });
  file.onClose = () => database.close();
  try {
    return { sources: sessionsIn(database) };
  } catch {
    return { sources: null, reason: "it is a database, but not opencode's" };
  }
}

function detect(file: SourceFile): Detected {
  for (const { text } of file.lines().take(maxLines)) {
    const detected = readerFor(parseJson(text ?? ""));
    if (detected) return detected;
  }
  return documentIn(file) ?? unknown;
}

const unknown: Detected = {
  reader: null,
  reason: "it contains no session of Claude Code, pi, Codex, Gemini CLI or opencode",
};

/** A file that is one JSON value over many lines. */
function documentIn(file: SourceFile): Detected | null {
  const document = file.json();
  const reader = readers.find((one) => one.recognizes(document));
  return reader ? { reader, document } : null;
}

function readerFor(json: unknown): Detected | null {
  if (own.safeParse(json).success)
    return { reader: null, reason: "it is already a mini-claude session" };
  if (isRecord(json) && typeof json["session"] === "string" && "output_tokens_reliable" in json)
    return {
      reader: null,
      reason: "it is a recording, which mini-claude replay can read directly",
    };
  const reader = readers.find((one) => one.recognizes(json));
  return reader ? { reader } : null;
}
