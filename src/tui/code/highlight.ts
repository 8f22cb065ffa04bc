/**
 * Highlights code line by line with CodeMirror's grammars, whose state carries over from line to
 * line.
 */

import type { Theme } from "../theme.ts";
import { grammarOf, type Grammar } from "./languages.ts";

/** Loaded with the first grammar. */
const streams = (): typeof import("@codemirror/streamparser") =>
  require("@codemirror/streamparser");

const diffs = /^(?:diff|patch)$/i;

const tabSize = 4;

/** With a larger unit, Python's grammar marks code with a smaller indent as an error. */
const indentUnit = 1;

/** Longer lines are not highlighted: most are generated, and some grammars are slow on them. */
const maxChars = 2_000;

/** How often in a row a grammar may change its state without consuming a character. */
const maxPauses = 10;

/** A line number before quoted code; the rest of the line is highlighted as code. */
const lineNumber = /^\s*\d+(?:\s{2}|\s*[:|│→]\s?|$)/;

export class Highlighter {
  readonly #theme: Theme;
  readonly #paint: ((line: string) => string) | null;
  readonly #grammar: Grammar | null;
  #state: unknown;
  /** Whether lines start with their numbers, as the first one showed; null: none was read. */
  #isNumbered: boolean | null = null;

  /** `language`: its name, or the extension of its files; an unknown one is not highlighted. */
  constructor(language: string, theme: Theme) {
    this.#theme = theme;
    this.#paint = diffs.test(language) ? (line) => diffLine(line, theme) : null;
    this.#grammar = grammarOf(language);
    this.#state = this.#grammar?.parser.startState?.(indentUnit) ?? {};
  }

  /** The next line. */
  line(text: string): string {
    if (this.#paint) return this.#paint(text);
    if (!this.#grammar || text.length > maxChars) return text;
    this.#isNumbered ??= lineNumber.test(text);
    const [number = ""] = (this.#isNumbered && lineNumber.exec(text)) || [];
    const gutter = number === "" ? "" : this.#theme.paint("dim", number);
    return gutter + this.#code(text.slice(number.length), this.#grammar);
  }

  #code(text: string, grammar: Grammar): string {
    const { parser } = grammar;
    try {
      if (text !== "") return this.#read(text, grammar);
      parser.blankLine?.(this.#state, indentUnit);
    } catch {
      // Grammars expect code and may throw on anything else.
      this.#state = parser.startState?.(indentUnit) ?? {};
    }
    return text;
  }

  /**
   * Highlights an incomplete line; the next line is highlighted as if this one had not been seen.
   */
  unfinished(text: string): string {
    const state = this.#state;
    this.#state = this.#grammar?.parser.copyState?.(state) ?? copyOf(state);
    const isNumbered = this.#isNumbered;
    const painted = this.line(text);
    this.#isNumbered = isNumbered;
    this.#state = state;
    return painted;
  }

  #read(text: string, { parser, roles }: Grammar): string {
    const stream = new (streams().StringStream)(text, tabSize, indentUnit);
    let painted = "";
    for (let pauses = 0; !stream.eol() && pauses < maxPauses;) {
      stream.start = stream.pos;
      // Some return undefined where the types say null.
      const kind = parser.token(stream, this.#state) ?? "";
      const token = stream.current();
      pauses = token === "" ? pauses + 1 : 0;
      const role = roles[kind] ?? roles[/^[^ .]*/.exec(kind)?.[0] ?? ""];
      painted += role === undefined ? token : this.#theme.paint(role, token);
    }
    return painted + text.slice(stream.pos);
  }
}

/** What CodeMirror does for grammars without a `copyState`. */
function copyOf(state: unknown): unknown {
  if (typeof state !== "object" || state === null) return state;
  return Object.fromEntries(
    Object.entries(state).map(([key, value]) => [key, Array.isArray(value) ? [...value] : value]),
  );
}

/** The lines of `code`, each painted separately. */
export function highlight(code: string, language: string, theme: Theme): string[] {
  const highlighter = new Highlighter(language, theme);
  return code.split("\n").map((line) => highlighter.line(line));
}

/** Paints a line of a diff by its first character. */
function diffLine(line: string, theme: Theme): string {
  if (line.startsWith("+++") || line.startsWith("---")) return theme.paint("strong", line);
  if (line.startsWith("+")) return theme.paint("added", line);
  if (line.startsWith("-")) return theme.paint("removed", line);
  if (line.startsWith("@@")) return theme.paint("accent", line);
  return line;
}
