/**
 * Tier 0, "saved to a file". Fires as a result of more than 30 KB arrives. The full bytes are on disk
 * before the result enters the log (`tools/results.ts` writes them); what enters it is this preview: up
 * to 200 lines and 30,000 characters of its beginning and its end, and where the rest is. Never touches
 * a page that the model asked for by number of lines, nor a result that is in the log already. Binary output
 * of any size is only named.
 */

import { countLines, takeEnd, takeStart } from "../../base/clip.ts";
import { counted } from "../../base/format.ts";
import type { Policy } from "../../protocol/policy.ts";

type PreviewLimits = Pick<Policy, "previewLines" | "previewChars">;

type FullResult = { file: string; bytes: number; lines: number };

/** Share of the preview for the end, where programs print their outcome. */
const tailShare = 1 / 3;

/** Characters reserved for the lines that describe the preview. */
const markersChars = 160;

/**
 * The preview of a result in a file. `head` holds all of it or its beginning, `tail` its end. Shorter
 * than `previewChars`, and not longer than the result itself by more than its title.
 */
export function preview(
  { file, bytes, lines }: FullResult,
  { head, tail = head }: { head: string; tail?: string },
  { previewLines, previewChars }: PreviewLimits,
): string {
  const size = (bytes / 1024).toFixed(1);
  if (isBinary(head))
    return `[Binary output, ${size} KB. It is in ${file}; use a program that reads its format.]`;
  const title = `[Result too large to show: ${size} KB, ${counted(lines, "line")}. Full output: ${file}; Grep it, or Read it with offset and limit, to see more.]`;
  const isWhole = tail === head;
  const room = Math.max(0, previewChars - title.length - markersChars);
  if (isWhole && head.length <= room && countLines(head) <= previewLines)
    return `${title}\n${head}`;

  const endLines = Math.ceil(previewLines * tailShare);
  const endChars = Math.ceil(room * tailShare);
  const start = takeStart(firstLines(head, previewLines - endLines), room - endChars);
  const rest = isWhole ? tail.slice(start.length) : tail;
  const end = takeEnd(lastLines(rest, endLines), endChars);
  const shown = countLines(start);
  const last = lines - countLines(end) + 1;
  const from = head[start.length] === "\n" || start.endsWith("\n") ? shown + 1 : shown;
  return [
    title,
    `Lines 1 to ${number(shown)}:`,
    start,
    `[... the rest of lines ${number(from)} to ${number(Math.max(from, last - 1))} is in the file ...]`,
    `Lines ${number(last)} to ${number(lines)}:`,
    end,
  ].join("\n");
}

const sampleChars = 4_000;
/** Larger shares of a text of bytes that are no characters make it binary; a shell shows them as `^@`. */
const mostNoise = 0.1;
/** A few control characters in a short text are no reason to hide it. */
const leastNoise = 16;

// eslint-disable-next-line no-control-regex
const noise = /[\ufffd\0-\x08\x0e-\x1a\x7f]|\^[@A-Z?]/g;

/** Whether the beginning of a text is bytes that were never text. */
export function isBinary(text: string): boolean {
  const sample = takeStart(text, sampleChars);
  const found = sample.match(noise)?.length ?? 0;
  return found >= leastNoise && found > sample.length * mostNoise;
}

const number = (count: number): string => count.toLocaleString("en");

const firstLines = (text: string, count: number): string => text.split("\n", count).join("\n");

function lastLines(text: string, count: number): string {
  let at = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let left = count; left > 0 && at !== -1; left--) at = text.lastIndexOf("\n", at - 1);
  return text.slice(at + 1);
}
