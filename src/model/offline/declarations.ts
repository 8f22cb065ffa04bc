/** Recognizes lines of source by their form, in the languages of most projects. */

const modifiers =
  "(?:(?:export|default|async|abstract|declare|public|private|protected|static|final|override|unsafe|inline|readonly|pub(?:\\([^)]*\\))?)\\s+)*";
const keyword =
  "(?:function\\*?|class|interface|type|enum|const|let|var|def|fn|func(?:\\s*\\([^)]*\\))?|struct|impl|trait|module|mod|namespace|record|object|macro_rules!)";

/** A regular expression for declarations of any name; for the search tool, too. */
export const declarationPattern = `^\\s*${modifiers}${keyword}\\s+`;

const declares = new RegExp(`${declarationPattern}([\\w$]+)`);
/** TypeScript and Java: no keyword precedes the name of a method. */
const method =
  /^\s+(?:(?:public|private|protected|static|async|override|get|set|final|abstract)\s+)*[*#]?([\w$]+)\s*(?:<[^>]*>)?\([^)]*\)?.*\{\s*$/;
const statement =
  /^(?:if|for|while|switch|catch|return|function|constructor|else|do|with|await|throw|new)$/;

/** The name that a line declares, or null. */
export function declaredName(line: string): string | null {
  const name = declares.exec(line)?.[1];
  if (name !== undefined) return name;
  const found = method.exec(line)?.[1];
  return found !== undefined && !statement.test(found) ? found : null;
}

export const isTopLevel = (line: string): boolean => /^\S/.test(line);

export const isComment = (line: string): boolean =>
  /^\s*(?:\/\/|\/\*|\*|#(?!include|!?\[)|"""|--|<!--)/.test(line);

export const isImport = (line: string): boolean =>
  /^\s*(?:import\b|export\s+(?:\*|(?:type\s*)?\{[^}]*\})\s*from\b|from\s+\S+\s+import\b|use\s+[\w:]+|#include\b|require\b|\}\s*from\s+["']|(?:const|let|var)\s+.*=\s*require\()/.test(
    line,
  );

/** The comment right above a line, or the docstring right below it; "" without one. */
export function findDoc(lines: readonly string[], at: number): string {
  const above = commentEndingAt(lines, at - 1);
  return above !== "" ? above : docstringAt(lines, at + 1);
}

/** The comment or docstring that describes the whole file; "" without one. */
export function findFileDoc(lines: readonly string[]): string {
  const start = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#!"));
  const docstring = docstringAt(lines, start);
  if (start === -1 || docstring !== "" || !isComment(lines[start] ?? "")) return docstring;
  let end = start;
  while (isComment(lines[end + 1] ?? "") && !/\*\//.test(lines[end] ?? "")) end += 1;
  // A comment right above a declaration is about that declaration; a Go package comment is not.
  return declaredName(lines[end + 1] ?? "") === null ? commentEndingAt(lines, end) : "";
}

function commentEndingAt(lines: readonly string[], last: number): string {
  const found: string[] = [];
  let at = last;
  // Decorators and attributes may separate a comment from its declaration.
  while (/^\s*(?:@\w|#\[)/.test(lines[at] ?? "")) at -= 1;
  for (; found.length < 12; at -= 1) {
    const line = lines[at] ?? "";
    if (!isComment(line) || line.startsWith("#!")) break;
    found.unshift(line.replace(/^\s*(?:\/\*+!?|\*+\/?|\/\/+!?|#+|--)\s?|\s*\*+\/\s*$/g, ""));
    if (/^\s*\/\*/.test(line)) break;
  }
  return found.join(" ").trim();
}

function docstringAt(lines: readonly string[], at: number): string {
  if (!/^\s*(?:"""|''')/.test(lines[at] ?? "")) return "";
  const text = lines.slice(at, at + 8).join(" ");
  return (/("""|''')(.*?)\1/.exec(text)?.[2] ?? "").replace(/\s+/g, " ").trim();
}
