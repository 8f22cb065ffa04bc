/** One word of a command line: its text, and how certain that is. */

import type { Word as ParsedWord, WordPart } from "unbash";
import { shellQuote } from "../../base/shell-quote.ts";

export type Word = {
  /** After quotes are removed. What only the shell can work out stays as it is written. */
  text: string;
  /**
   * literal: the shell passes on exactly `text`. pattern: it may become other file names.
   * dynamic: it depends on variables, commands or the home folder.
   */
  kind: "literal" | "pattern" | "dynamic";
  /** Shell source that gives this word and nothing else. */
  source: string;
};

export const literal = (text: string): Word => ({
  text,
  kind: "literal",
  source: shellQuote(text),
});

export function readWord(word: ParsedWord): Word {
  const parts = word.parts?.map(readPart);
  // Bash expands a tilde after `=`, too.
  if (/^(?:\w+\+?=)?~/.test(word.text) || parts?.includes(null)) {
    return { text: word.value, kind: "dynamic", source: word.text };
  }
  const known = parts?.filter((part) => part !== null) ?? [];
  if (known.every((part) => part.kind === "literal")) return literal(word.value);
  const source = known.map((part) => part.source).join("");
  return { text: word.value, kind: "pattern", source };
}

const simpleBracket = /^\[[!^]?[\w.-]+\]$/;
const simpleBraces = /^\{[\w.,/-]*\}$/;

/** Null: only the shell knows. */
function readPart(part: WordPart): Word | null {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return literal(part.value);
    case "DoubleQuoted":
      return part.parts.every((inner) => inner.type === "Literal")
        ? literal(part.parts.map((inner) => ("value" in inner ? inner.value : "")).join(""))
        : null;
    case "Glob":
      return part.kind === "bracket" && !simpleBracket.test(part.text) ? null : pattern(part.text);
    case "BraceExpansion":
      return simpleBraces.test(part.text) ? pattern(part.text) : null;
    default:
      return null;
  }
}

const pattern = (text: string): Word => ({ text, kind: "pattern", source: text });
