/** The files in work, read anew: the model goes on from what is on disk, not from what it once saw. */

import { outline } from "../../context/summary/outline.ts";
import type { FileNow } from "../../context/summary/kept.ts";
import { filesInWork } from "../../context/summary/work.ts";
import type { Span } from "../../protocol/entry.ts";
import type { Session } from "../session.ts";

/** Beyond this the list of files that were touched is not gone through. */
const mostLooked = 20;

/**
 * At most as many files, and of as many tokens each and together, as the policy says; on a small
 * window less, so that they do not fill what the summary has just freed. What is too large comes as
 * its outline; what cannot be read as text, not at all.
 */
export async function readFilesInWork(
  { policy, view, rules, reading }: Session,
  span: Span,
  readFile: (path: string) => Promise<string | null>,
): Promise<FileNow[]> {
  const { summary } = policy;
  const charsPerToken = rules.charsPerToken.code;
  let left = Math.min(summary.filesTokens, reading.effectiveTokens / 8) * charsPerToken;
  const files: FileNow[] = [];
  for (const { path } of filesInWork(view, span, mostLooked)) {
    if (files.length >= summary.files || left <= 0) break;
    const whole = await readFile(path).catch(() => null);
    if (whole === null || whole.trim() === "") continue;
    const large = whole.length > Math.min(summary.fileTokens * charsPerToken, left);
    const text = large ? outline(whole, path) : whole;
    if (text.length > left) continue;
    left -= text.length;
    files.push({ path, text, lines: linesOf(whole), outline: large });
  }
  return files;
}

const linesOf = (text: string): number => text.replace(/\n$/, "").split("\n").length;
