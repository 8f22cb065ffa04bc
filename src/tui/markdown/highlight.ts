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
const noCode = /^(?:|text|txt|plain|log|output|console|md|markdown)$/i;

const stringsAndWords =
  String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` +
  "`(?:[^`\\\\]|\\\\.)*`" +
  String.raw`|\b\d[\w.]*\b|\b[A-Za-z_]\w*\b`;

/** The lines of `code`, each painted separately. */
export function highlight(code: string, language: string, theme: Theme): string[] {
  if (/^(?:diff|patch)$/i.test(language)) return code.split("\n").map((l) => diffLine(l, theme));
  if (noCode.test(language) || code.length > 200_000) return code.split("\n");
  const line = hashComments.test(language) ? "#" : dashComments.test(language) ? "--" : "//";
  const pattern = new RegExp(`${line}[^\\n]*|/\\*[^]*?(?:\\*/|$)|${stringsAndWords}`, "g");
  const painted = code.replace(pattern, (token) => {
    const role = roleOf(token, line);
    if (role === null) return token;
    return token
      .split("\n")
      .map((part) => theme.paint(role, part))
      .join("\n");
  });
  return painted.split("\n");
}

/** Paints a line of a diff by its first character. */
function diffLine(line: string, theme: Theme): string {
  if (line.startsWith("+++") || line.startsWith("---")) return theme.paint("strong", line);
  if (line.startsWith("+")) return theme.paint("added", line);
  if (line.startsWith("-")) return theme.paint("removed", line);
  if (line.startsWith("@@")) return theme.paint("accent", line);
  return line;
}

function roleOf(token: string, line: string): Role | null {
  if (token.startsWith(line) || token.startsWith("/*")) return "comment";
  if (/^["'`]/.test(token)) return "string";
  if (/^\d/.test(token)) return "number";
  return keywords.has(token) ? "keyword" : null;
}
