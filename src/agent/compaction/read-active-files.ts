/** The active files, read again: the model continues from what is on disk, not from what it once saw. */

import { ActiveFiles } from "../../context/summary/active-files.ts";
import type { FileNow } from "../../context/summary/verbatim.ts";
import type { Span } from "../../protocol/entry.ts";
import type { Session } from "../session.ts";

export async function readActiveFiles(
  { policy, view, rules }: Session,
  span: Span,
  readFile: (path: string) => Promise<string | null>,
): Promise<FileNow[]> {
  const files = new ActiveFiles(view, span, rules, policy);
  for (const path of files.candidates) {
    if (files.isFull) break;
    files.offer(path, await readFile(path).catch(() => null));
  }
  return files.chosen;
}
