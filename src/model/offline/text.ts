/** Small helpers for reading requests and writing Markdown. */

/** A code block in the language of `path`; its fence is longer than any fence in the text. */
export function fenced(text: string, path = ""): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const [language = ""] = /(?<=\.)\w+$/.exec(path) ?? [];
  return `${fence}${language}\n${text}\n${fence}`;
}

export const inCode = (text: string): string => `\`${text}\``;

export const bullets = (lines: readonly string[]): string =>
  lines.map((line) => `- ${line}`).join("\n");

/** The first `most` as bullets, and how many more there are. */
export const firstBullets = (lines: readonly string[], most: number): string =>
  bullets(lines.slice(0, most)) +
  (lines.length > most ? `\n\n${(lines.length - most).toLocaleString("en")} more.` : "");

/** The same below a title; empty without lines. */
export const listed = (title: string, lines: readonly string[], most: number): string =>
  lines.length === 0 ? "" : `${title}:\n${firstBullets(lines, most)}`;

/** Joined by empty lines; empty parts are dropped. */
export const paragraphs = (...parts: readonly string[]): string =>
  parts.filter((part) => part !== "").join("\n\n");

export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

export const unquoted = (text: string): string =>
  text.trim().replace(/^["'`“]([\s\S]*)["'`”]$/, "$1");

/** A request without the words around it: "please", "can you", the full stop. */
export function bare(request: string): string {
  const text = withoutEnd(request.trim()).replace(
    /^(?:(?:please|ok(?:ay)?|hey|hi|now|so|and|then|also|can you|could you|would you|will you|i want you to|i would like you to|i'd like to know|do you know|let's)[,:]?\s+)+/i,
    "",
  );
  const thanks = /,?\s(?:please|thanks|thank you)$/i.exec(text.slice(-20));
  return thanks ? withoutEnd(text.slice(0, text.length - thanks[0].length)) : text;
}

/** A loop: a pattern would try every run of spaces in a long paste from each of its positions. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s?!.]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
