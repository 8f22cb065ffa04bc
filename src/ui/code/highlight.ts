/**
 * Highlights code line by line with CodeMirror's grammars, whose state carries over from line to
 * line.
 */

import type { Theme } from "../theme.ts";
import { loadGrammar, type Grammar } from "./languages.ts";

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

export type Highlighter = ReturnType<typeof makeHighlighter>;

/** `language`: its name, or the extension of its files; an unknown one is not highlighted. */
export function makeHighlighter(language: string, theme: Theme) {
  const grammar = loadGrammar(language);
  let state = startState(grammar);
  /** Whether lines start with their numbers, as the first one showed; null: none was read. */
  let isNumbered: boolean | null = null;

  const code = (text: string, known: Grammar): string => {
    try {
      if (text !== "") return painted(text, known, state, theme);
      known.parser.blankLine?.(state, indentUnit);
    } catch {
      // Grammars expect code and may throw on anything else.
      state = startState(known);
    }
    return text;
  };
  /** The next line. */
  const line = (text: string): string => {
    if (diffs.test(language)) return diffLine(text, theme);
    if (!grammar || text.length > maxChars) return text;
    isNumbered ??= lineNumber.test(text);
    const [number = ""] = (isNumbered && lineNumber.exec(text)) || [];
    const gutter = number === "" ? "" : theme.paint("dim", number);
    return gutter + code(text.slice(number.length), grammar);
  };
  return {
    line,
    /**
     * Highlights an incomplete line; the next line is highlighted as if this one had not been seen.
     */
    unfinished(text: string): string {
      const before = { state, isNumbered };
      state = grammar?.parser.copyState?.(state) ?? copyState(state);
      const shown = line(text);
      ({ state, isNumbered } = before);
      return shown;
    },
  };
}

const startState = (grammar: Grammar | null): unknown =>
  grammar?.parser.startState?.(indentUnit) ?? {};

function painted(text: string, { parser, roles }: Grammar, state: unknown, theme: Theme): string {
  const stream = new (streams().StringStream)(text, tabSize, indentUnit);
  let line = "";
  for (let pauses = 0; !stream.eol() && pauses < maxPauses;) {
    stream.start = stream.pos;
    // Some return undefined where the types say null.
    const kind = parser.token(stream, state) ?? "";
    const token = stream.current();
    pauses = token === "" ? pauses + 1 : 0;
    const role = roles[kind] ?? roles[/^[^ .]*/.exec(kind)?.[0] ?? ""];
    line += role === undefined ? token : theme.paint(role, token);
  }
  return line + text.slice(stream.pos);
}

/** As CodeMirror copies it for grammars without a `copyState`. */
function copyState(state: unknown): unknown {
  if (typeof state !== "object" || state === null) return state;
  return Object.fromEntries(
    Object.entries(state).map(([key, value]) => [key, Array.isArray(value) ? [...value] : value]),
  );
}

/** The lines of `code`, each painted separately. */
export function highlight(code: string, language: string, theme: Theme): string[] {
  return code.split("\n").map(makeHighlighter(language, theme).line);
}

/** Paints a line of a diff by its first character. */
function diffLine(line: string, theme: Theme): string {
  if (line.startsWith("+++") || line.startsWith("---")) return theme.paint("strong", line);
  if (line.startsWith("+")) return theme.paint("added", line);
  if (line.startsWith("-")) return theme.paint("removed", line);
  if (line.startsWith("@@")) return theme.paint("accent", line);
  return line;
}
