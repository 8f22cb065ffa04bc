/** What a server says about a call, in one clean line. */

import { messageOf } from "../protocol/in-words.ts";
import { cleanLine } from "./clean.ts";

const lineChars = 300;

/** An error as a sentence. */
export function sentenceOf(error: unknown): string {
  const words = cleanLine(messageOf(error), lineChars);
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

type Progress = { progress: number; total?: number | undefined; message?: string | undefined };

/** "3 of 10 files" */
export function progressLine({ progress, total, message = "" }: Progress): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return cleanLine(`${count} ${message}`, lineChars);
}
