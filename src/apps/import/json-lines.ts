import { parseJson } from "./json.ts";
import type { Skipped } from "./skipped.ts";
import type { SourceFile } from "./source-file.ts";
import type { LinePlace } from "./steps.ts";

/**
 * Passes on every line that is JSON, including a last one without a newline, and counts the others.
 * Returns the bytes up to the end of the last complete line.
 */
export function eachJson(
  file: SourceFile,
  skipped: Skipped | null,
  take: (json: unknown, place: LinePlace) => void,
): number {
  const takeText = (text: string, place: LinePlace): boolean => {
    if (text.trim() === "") return true;
    const json = parseJson(text);
    if (json !== undefined) take(json, place);
    return json !== undefined;
  };
  const { bytes, rest } = file.eachLine({
    line: (line) => {
      if (!takeText(line.text, line)) skipped?.add("lines that are not JSON");
    },
    tooLong: () => skipped?.add("lines over 64 MB"),
  });
  if (rest === null || rest.text.trim() === "") return bytes;
  if (takeText(rest.text, rest)) return bytes + rest.bytes;
  skipped?.add("an incomplete last line");
  return bytes;
}
