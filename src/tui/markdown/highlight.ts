/**
 * Simple syntax highlighting: comments, strings, numbers and keywords that most languages share. Not a
 * parser: a wrong guess only gives a wrong color.
 */

import type { Role, Theme } from "../theme.ts";

const keywords = new Set(
  `abstract and as async await begin break case catch class const constexpr continue def default
  defer del delete do done elif else elsif end enum esac except export extends extern false fi final
  finally fn for foreach from func function go goto if impl implements import in instanceof interface
  is lambda let local loop match mod module mut namespace new nil none not null or override package
  pass private protected pub public raise readonly rescue return select self static struct super
  switch then this throw trait true try type typedef typeof union unless until use using val var
  virtual void when where while with yield None True False`.split(/\s+/),
);

const hashComments =
  /^(?:py|python|sh|bash|shell|zsh|ruby|rb|yaml|yml|toml|perl|r|make|makefile|dockerfile|ini|conf)$/i;
const dashComments = /^(?:sql|lua|haskell|hs|elm|ada)$/i;
const templates = /^(?:[cm]?[jt]sx?|javascript|typescript|vue|svelte|go|golang)$/i;
const noCode = /^(?:|text|txt|plain|log|output|console|md|markdown)$/i;
const diffs = /^(?:diff|patch)$/i;

const tokens =
  String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|` +
  "`(?:[^`\\\\]|\\\\.)*`" +
  String.raw`|\b\d[\w.]*\b|\b[A-Za-z_]\w*\b`;

/** What may continue on the next line, and how it ends. */
const ends = { comment: /^.*?\*\//, string: /^(?:[^`\\]|\\.?)*`/ };

/** Paints code line by line, in order. */
export class Highlighter {
  readonly #language: string;
  readonly #theme: Theme;
  readonly #comment: string;
  readonly #pattern: RegExp;
  /** What the next line starts inside; null: plain code. */
  #open: keyof typeof ends | null = null;

  constructor(language: string, theme: Theme) {
    this.#language = language;
    this.#theme = theme;
    const sign = hashComments.test(language) ? "#" : dashComments.test(language) ? "--" : "//";
    this.#comment = sign;
    const template = templates.test(language) ? "|`.*$" : "";
    this.#pattern = new RegExp(`${sign}.*|/\\*.*?(?:\\*/|$)|${tokens}${template}`, "g");
  }

  line(text: string): string {
    if (diffs.test(this.#language)) return diffLine(text, this.#theme);
    if (noCode.test(this.#language)) return text;
    const open = this.#open;
    if (open === null) return this.#paint(text);
    const [begun] = ends[open].exec(text) ?? [];
    if (begun === undefined) return this.#theme.paint(open, text);
    this.#open = null;
    return this.#theme.paint(open, begun) + this.#paint(text.slice(begun.length));
  }

  /** A line that is not complete: the next one is painted as if this had not been. */
  unfinished(text: string): string {
    const open = this.#open;
    const painted = this.line(text);
    this.#open = open;
    return painted;
  }

  #paint(text: string): string {
    return text.replace(this.#pattern, (token) => {
      const role = this.#roleOf(token);
      return role === null ? token : this.#theme.paint(role, token);
    });
  }

  #roleOf(token: string): Role | null {
    if (token.startsWith(this.#comment)) return "comment";
    if (token.startsWith("/*")) {
      if (!/^\/\*.*\*\/$/.test(token)) this.#open = "comment";
      return "comment";
    }
    if (token.startsWith("`") && !/^`(?:[^`\\]|\\.)*`$/.test(token)) this.#open = "string";
    if (/^["'`]/.test(token)) return "string";
    if (/^\d/.test(token)) return "number";
    return keywords.has(token) ? "keyword" : null;
  }
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
