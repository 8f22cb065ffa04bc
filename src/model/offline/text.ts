/** Small helpers for reading requests and writing Markdown. */

/** A code block in the language of `path`; its fence is longer than any fence in the text. */
export function fenced(text: string, path = ""): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const [language = ""] = /(?<=\.)\w+$/.exec(path) ?? [];
  return `${fence}${language}\n${text}\n${fence}`;
}

export const inCode = (text: string): string => `\`${text}\``;

/** The first `most` lines as bullets below a title, and how many more there are; empty without lines. */
export function listed(title: string, lines: readonly string[], most: number): string {
  if (lines.length === 0) return "";
  const more = lines.length > most ? `\n\n${(lines.length - most).toLocaleString("en")} more.` : "";
  const bullets = lines.slice(0, most).map((line) => `- ${line}`);
  return `${title}:\n${bullets.join("\n")}${more}`;
}

/** Joined by empty lines; empty parts are dropped. */
export const paragraphs = (...parts: readonly string[]): string =>
  parts.filter((part) => part !== "").join("\n\n");

export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A request without "please", "can you" and its last mark. */
export const bare = (request: string): string =>
  request
    .trim()
    .replace(/[\s?!.]{1,20}$/, "")
    .replace(/^(?:(?:please|can you|could you|show me|tell me),?\s+)+/i, "");
