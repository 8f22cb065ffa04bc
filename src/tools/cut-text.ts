/** Shortening text without breaking a character. Sizes in characters (UTF-16 units). */

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** The first characters, at most `chars`; never half of one. */
export function takeStart(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const end = Math.max(0, chars);
  return text.slice(0, end > 0 && isHigh(text.charCodeAt(end - 1)) ? end - 1 : end);
}

/** The last characters, at most `chars`; never half of one. */
export function takeEnd(text: string, chars: number): string {
  if (text.length <= chars) return text;
  if (chars <= 0) return "";
  const start = text.length - chars;
  return text.slice(isLow(text.charCodeAt(start)) ? start + 1 : start);
}

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
