/** Shortening text without cutting a character in two. Lengths in UTF-16 units. */

/**
 * A length that characters with their marks and joiners rarely exceed; longer ones are cut between
 * marks.
 */
const longestGrapheme = 64;

/** The start of a text, at most `chars` long. */
export function takeStart(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(0, boundaryBefore(text, Math.max(0, chars)));
}

/** The end of a text, at most `chars` long. */
export function takeEnd(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const from = text.length - Math.max(0, chars);
  const before = boundaryBefore(text, from);
  if (before === from) return text.slice(from);
  return text.slice(before + graphemeLength(text, before));
}

/** The start of a text, at most `chars` long, including the ellipsis that a cut adds. */
export const clip = (text: string, chars: number): string =>
  text.length <= chars ? text : `${takeStart(text, chars - 1)}…`;

/** The text on one line, clipped. */
export const clipLine = (text: string, chars: number): string =>
  clip(text.replace(/\s+/g, " ").trim(), chars);

/** The last boundary between two characters at or before `at`. */
function boundaryBefore(text: string, at: number): number {
  if (isBetweenPlain(text, at)) return at;
  const from = wholeUnit(text, Math.max(0, at - longestGrapheme));
  const found = graphemes(text.slice(from, at + longestGrapheme)).containing(at - from);
  const boundary = found ? from + found.index : at;
  return boundary > from || from === 0 ? boundary : wholeUnit(text, at);
}

/** Whether `at` is between two ASCII characters, which form one character only as "\r\n". */
function isBetweenPlain(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before < 0x80 && after < 0x80 && !(before === 0x0d && after === 0x0a);
}

function graphemeLength(text: string, at: number): number {
  return graphemes(text.slice(at, at + 2 * longestGrapheme)).containing(0)?.segment.length ?? 0;
}

/** `at`, or the place before it when `at` is inside a surrogate pair. */
const wholeUnit = (text: string, at: number): number =>
  /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at;

let segmenter: Intl.Segmenter | undefined;

/** Divides a text into user-perceived characters. Made on first use, which takes milliseconds. */
export const graphemes = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })).segment(text);

/** A final line break does not start another line. */
export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return text.endsWith("\n") ? lines : lines + 1;
}

/** Head and tail of a text that is too long, with a note between them. `where`: of the rest, for the note. */
export function cutMiddle(text: string, maxChars: number, where = ""): string {
  if (text.length <= maxChars) return text;
  const note = (missing: number): string => `\n[... ${missing} characters cut${where} ...]\n`;
  const half = Math.max(0, Math.floor((maxChars - note(text.length).length) / 2));
  const head = atLineEnd(takeStart(text, half));
  const tail = atLineStart(takeEnd(text, half));
  return `${head}${note(text.length - head.length - tail.length)}${tail}`;
}

/** The text without its last line, which may be cut, unless that is more than half of it. */
export function atLineEnd(text: string): string {
  const end = text.lastIndexOf("\n");
  return end > text.length / 2 ? text.slice(0, end) : text;
}

function atLineStart(text: string): string {
  const start = text.indexOf("\n");
  return start !== -1 && start < text.length / 2 ? text.slice(start + 1) : text;
}
