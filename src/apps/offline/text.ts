/** Small helps for writing an answer in Markdown. */

/** On one line, clipped. */
export function clip(text: string, mostChars: number): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > mostChars ? `${flat.slice(0, mostChars - 1)}…`.toWellFormed() : flat;
}

/** A code block whose fence is longer than any in the text. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

export const bullets = (lines: readonly string[]): string =>
  lines.map((line) => `- ${line}`).join("\n");

/** Paragraphs; empty ones are left out. */
export const paragraphs = (...parts: readonly string[]): string =>
  parts.filter((part) => part !== "").join("\n\n");

/** "1 file", "3 files" */
export const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? "" : /(s|x|ch|sh)$/.test(noun) ? "es" : "s"}`;

/** The text with everything in quotes blanked, of the same length. */
export const withoutQuotes = (text: string): string =>
  text.replace(/"[^"]*"|“[^”]*”|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g, (quoted) =>
    "_".repeat(quoted.length),
  );

/** A request without the words around it: "please", "can you", the full stop. */
export function bare(question: string): string {
  const text = withoutEnd(question.trim()).replace(
    /^(?:(?:please|ok(?:ay)?|hey|hi|now|so|and|then|also|can you|could you|would you|will you|i want you to|i would like you to|let's|let us)[,:]?\s+)+/i,
    "",
  );
  const thanks = /,?\s(?:please|thanks|thank you)$/i.exec(text.slice(-20));
  return thanks ? withoutEnd(text.slice(0, text.length - thanks[0].length)) : text;
}

/** By hand: a pattern would try every run of blanks in a long paste from each of its places. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s?!.]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
