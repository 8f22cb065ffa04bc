import { parseJson } from "./json.ts";
import type { Skipped } from "./skipped.ts";
import type { SourceFile } from "./source-file.ts";
import type { LinePlace } from "./steps.ts";

/**
 * Every line that is JSON, also a last one that is whole but for its newline. What is none is
 * counted. Gives the bytes up to the end of the last whole line: how far the file was read.
 */
export function eachJson(
  file: SourceFile,
  leftOut: Skipped | null,
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
      if (!takeText(line.text, line)) leftOut?.add("lines that are no JSON");
    },
    tooLong: () => leftOut?.add("lines of more than 64 MB"),
  });
  if (rest === null || rest.text.trim() === "") return bytes;
  if (takeText(rest.text, rest)) return bytes + rest.bytes;
  leftOut?.add("half a line at the end");
  return bytes;
}
