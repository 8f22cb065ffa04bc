import { dirname } from "node:path";
import type { Entry } from "../protocol/entry.ts";
import { searchableText } from "./searchable.ts";

/** Bytes of a result file that are searched. The rest can only be opened. */
const searchedBytes = 4 * 1024 * 1024;

/**
 * The searchable text of an entry. For a result saved in `resultsFolder` it is the start of that
 * file. A log may name any file; files elsewhere are never read.
 */
export async function wholeText(entry: Entry, resultsFolder: string | null): Promise<string> {
  const own = searchableText(entry);
  if (!isSavedIn(entry, resultsFolder)) return own;
  const file = Bun.file(entry.file);
  const text = await file
    .slice(0, searchedBytes)
    .text()
    .catch(() => "");
  // Shorter than its preview: the file is gone or truncated.
  return text.length > own.length ? text : own;
}

/** True for a result whose full text is a file in `resultsFolder`. */
export const isSavedIn = (
  entry: Entry,
  resultsFolder: string | null,
): entry is Entry & { type: "result"; file: string } =>
  entry.type === "result" &&
  entry.file !== undefined &&
  resultsFolder !== null &&
  dirname(entry.file) === resultsFolder;
