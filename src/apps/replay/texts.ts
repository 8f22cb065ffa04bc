/** What a reading tool puts before each line: a number, and an arrow, a tab, a bar or a colon. */
const lineNumber = /^ *\d+[→\t|:]/gm;

export const withoutLineNumbers = (text: string): string => text.replace(lineNumber, "");

/** Paths, compound names and error words: what one call can only know from what it was shown. */
const telling =
  /[A-Za-z_$][\w$]*(?:[./:-][\w$]+)+|[A-Za-z$]+(?:_[A-Za-z\d$]+)+|[a-z]+(?:[A-Z][a-z\d]+)+|[A-Z][a-z\d]+(?:[A-Z][a-z\d]+)+/g;

export function tellingWords(text: string): Set<string> {
  const words = new Set<string>();
  for (const [word] of text.matchAll(telling)) if (word.length >= 6) words.add(word);
  return words;
}
