/** Reads the active files again: the model continues from what is on disk, not from what it once saw. */

import { economyTuning } from "../../context/economy-tuning.ts";
import { excerpt, editHistoryOf } from "../../context/summary/excerpt.ts";
import type { FileNow } from "../../context/summary/verbatim.ts";
import { filesInWork } from "../../context/summary/files-in-work.ts";
import type { Span } from "../../protocol/entry.ts";
import type { Session } from "../session.ts";

/** Most candidates to look at. */
const maxCandidates = 20;

/**
 * Up to the number of files and tokens that the policy allows; fewer in a small window, so that they
 * do not fill what the summary has just freed. A large file is reduced to an outline, which does not
 * count as a file; what is not text is left out.
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
  for (const { path } of filesInWork(view, span, maxCandidates)) {
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
