import { dirname } from "node:path";
import type { Entry } from "../protocol/entry.ts";
import { searchableText } from "./searchable.ts";

/** Bytes of a kept result that are searched; beyond them it can only be opened. */
const searchedBytes = 4 * 1024 * 1024;

/**
 * What can be found of an entry: its text, and of a result whose whole is in a file of
 * `resultsFolder` the beginning of that. A log may name any file; others are not looked into.
 */
export async function wholeText(entry: Entry, resultsFolder: string | null): Promise<string> {
  const own = searchableText(entry);
  if (!isKept(entry, resultsFolder)) return own;
  const file = Bun.file(entry.file);
  const text = await file
    .slice(0, searchedBytes)
    .text()
    .catch(() => "");
  // A preview that says more than the file does comes from a file that is gone.
  return text.length > own.length ? text : own;
}

/** A result whose whole is in a file of ours. */
export const isKept = (
  entry: Entry,
  resultsFolder: string | null,
): entry is Entry & { type: "result"; file: string } =>
  entry.type === "result" &&
  entry.file !== undefined &&
  resultsFolder !== null &&
  dirname(entry.file) === resultsFolder;
