/** Paints code line by line, with the grammars of CodeMirror: their state goes from line to line. */

import type { Theme } from "../theme.ts";
import { grammarOf, type Grammar } from "./languages.ts";

/** Loaded with the first grammar. */
const streams = (): typeof import("@codemirror/streamparser") =>
  require("@codemirror/streamparser");

const diffs = /^(?:diff|patch)$/i;

const tabSize = 4;

/** With any more, Python's grammar takes code that is indented by less for an error. */
const indentUnit = 1;

/** Longer lines are not painted: mostly generated, and some grammars are slow on them. */
const mostChars = 2_000;

/** How often a grammar may change its state without reading on. */
const mostPauses = 10;

/** A line number before quoted code; what follows is a line of its own language. */
const lineNumber = /^\s*\d+(?:\s{2}|\s*[:|│→]\s?|$)/;

export class Highlighter {
  readonly #theme: Theme;
  readonly #paint: ((line: string) => string) | null;
  readonly #grammar: Grammar | null;
  #state: unknown;
  /** Lines begin with their numbers, as the first one did; null: none was read. */
  #isNumbered: boolean | null = null;

  /** `language`: its name, or the extension of its files; an unknown one is not painted. */
  constructor(language: string, theme: Theme) {
    this.#theme = theme;
    this.#paint = diffs.test(language) ? (line) => diffLine(line, theme) : null;
    this.#grammar = grammarOf(language);
    this.#state = this.#grammar?.parser.startState?.(indentUnit) ?? {};
  }

  /** The next line. */
  line(text: string): string {
    if (this.#paint) return this.#paint(text);
    if (!this.#grammar || text.length > mostChars) return text;
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
      // Grammars are written for code; this may be anything.
      this.#state = parser.startState?.(indentUnit) ?? {};
    }
    return text;
  }

  /** A line that is not complete: the next one is painted as if this had not been. */
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
    for (let pauses = 0; !stream.eol() && pauses < mostPauses;) {
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
