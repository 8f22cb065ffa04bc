/** The files in work, read anew: the model goes on from what is on disk, not from what it once saw. */

import { economyTuning } from "../../context/economy-tuning.ts";
import { excerpt, editHistoryOf } from "../../context/summary/excerpt.ts";
import type { FileNow } from "../../context/summary/verbatim.ts";
import { filesInWork } from "../../context/summary/files-in-work.ts";
import type { Span } from "../../protocol/entry.ts";
import type { Session } from "../session.ts";

/** Beyond this the list of files that were touched is not gone through. */
const mostLooked = 20;

/**
 * At most as many files, and of as many tokens each and together, as the policy says; on a small
 * window less, so that they do not fill what the summary has just freed. What is too large comes as
 * its outline; what cannot be read as text, not at all. Parts of files do not count among the files.
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
  const work = editHistoryOf(view);
  let wholes = 0;
  for (const { path } of filesInWork(view, span, mostLooked)) {
    if (left <= 0) break;
    const whole = await readFile(path).catch(() => null);
    if (whole === null || whole.trim() === "") continue;
    const largeChars = Math.min(summary.fileTokens * charsPerToken, left);
    const shown = excerpt(path, whole, largeChars, work, policy, economyTuning(rules.windowTokens));
    if (!shown || shown.text.length > left || (!shown.isPart && wholes >= summary.files)) continue;
    left -= shown.text.length;
    if (!shown.isPart) wholes++;
    files.push({ path, text: shown.text, lines: linesOf(whole), outline: shown.isPart });
  }
  return files;
}

const linesOf = (text: string): number => text.replace(/\n$/, "").split("\n").length;
