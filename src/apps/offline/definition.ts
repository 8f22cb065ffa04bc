/** Lines of code by what they look like, in the languages that most projects are written in. */

const modifiers =
  "(?:export\\s+|default\\s+|async\\s+|abstract\\s+|declare\\s+|public\\s+|private\\s+|protected\\s+|static\\s+|final\\s+|override\\s+|pub(?:\\([^)]*\\))?\\s+|unsafe\\s+|inline\\s+|readonly\\s+)*";
const keyword =
  "(?:function\\*?|class|interface|type|enum|const|let|var|def|fn|func(?:\\s*\\([^)]*\\))?|struct|impl|trait|module|mod|namespace|record|object|macro_rules!)";

const defines = new RegExp(`^\\s*${modifiers}${keyword}\\s+([\\w$]+)`);
/** Of TypeScript and Java: a method has no keyword before its name. */
const method =
  /^\s+(?:(?:public|private|protected|static|async|override|get|set|final|abstract)\s+)*(?:\*|#)?([\w$]+)\s*(?:<[^>]*>)?\([^)]*\)?.*\{\s*$/;
const flow =
  /^(?:if|for|while|switch|catch|return|function|constructor|else|do|with|await|throw|new)$/;

/** The name that a line defines; null: it defines none. */
export function definedName(line: string): string | null {
  const name = defines.exec(line)?.[1];
  if (name !== undefined) return name;
  const found = method.exec(line)?.[1];
  return found !== undefined && !flow.test(found) ? found : null;
}

/** It stands at the left edge: a declaration of the file, not of a block within it. */
export const isOutermost = (line: string): boolean => /^\S/.test(line);

export const isExported = (line: string): boolean => /^\s*(?:export|pub|public)\b/.test(line);

export const isComment = (line: string): boolean =>
  /^\s*(?:\/\/|\/\*|\*|#(?!include|!?\[)|"""|--|<!--)/.test(line);

export const isImport = (line: string): boolean =>
  /^\s*(?:import\b|export\s+(?:\*|\{[^}]*\}|type\s*\{[^}]*\})\s*from\b|from\s+\S+\s+import\b|use\s+[\w:]+|#include\b|require\b|(?:const|let|var)\s+.*=\s*require\()/.test(
    line,
  ) || /^\s*\}\s*from\s+["']/.test(line);

/** The words of the comment that stands right above a line; "" where none does. */
export function commentAbove(lines: readonly string[], at: number): string {
  const found: string[] = [];
  let above = at - 1;
  // Decorators and attributes stand between a comment and what it is about.
  while (above >= 0 && /^\s*(?:@\w|#\[)/.test(lines[above] ?? "")) above -= 1;
  for (; above >= 0 && found.length < 12; above -= 1) {
    const line = lines[above] ?? "";
    if (!isComment(line) || line.startsWith("#!")) break;
    found.unshift(
      line
        .trim()
        .replace(/^(?:\/\*+!?|\*+\/?|\/\/+!?|#+|--|""")\s?/, "")
        .replace(/\s*\*+\/\s*$/, ""),
    );
    if (/^\s*\/\*/.test(line)) break;
  }
  return found.join(" ").trim();
}

/** The comment or docstring that a file begins with. */
export function headerOf(lines: readonly string[]): string {
  const start = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#!"));
  if (start === -1 || !isComment(lines[start] ?? "")) return "";
  let end = start;
  const block = /^\s*\/\*/.test(lines[start] ?? "");
  while (end < lines.length && end < start + 14) {
    const line = lines[end] ?? "";
    if (block && /\*\//.test(line)) {
      end += 1;
      break;
    }
    if (!block && !isComment(line)) break;
    end += 1;
  }
  // A comment that touches a declaration is about that, not about the file.
  const next = lines[end] ?? "";
  if (next.trim() !== "" && definedName(next) !== null) return "";
  return commentAbove(lines, end);
}
