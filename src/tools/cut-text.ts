import { takeEnd, takeStart } from "../base/clip.ts";

/** Keeps the start and the end, and says how much is left out between them. */
export function keepEnds(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const half = Math.max(0, Math.floor((chars - 60) / 2));
  const head = takeStart(text, half);
  const tail = takeEnd(text, half);
  const missing = text.length - head.length - tail.length;
  return `${head}\n\n[... ${missing} characters left out ...]\n\n${tail}`;
}
