import { takeEnd, takeStart } from "../protocol/clip.ts";

/** Head and tail of equal length, and between them how much is missing. */
export function keepEnds(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const half = Math.max(0, Math.floor((chars - 60) / 2));
  const head = takeStart(text, half);
  const tail = takeEnd(text, half);
  const missing = text.length - head.length - tail.length;
  return `${head}\n\n[... ${missing} characters are missing here ...]\n\n${tail}`;
}

/** Lines as a person counts them: a last line break opens no further one. */
export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return text.endsWith("\n") ? lines : lines + 1;
}
