import type { Entry } from "../../protocol/entry.ts";
import { headOf, itemsOf, type ExportItem } from "./items.ts";

/** Exports a path as Markdown, entry by entry. Output is in code fences that it cannot close. */
export function* exportMarkdown(path: readonly Entry[]): Generator<string, void> {
  const { title, about } = headOf(path);
  const lines = about.map(([name, value]) => `- ${name}: ${inline(value)}`);
  yield `# ${inline(title)}\n\n${lines.join("\n")}\n`;
  for (const entry of path)
    yield itemsOf(entry)
      .map((one) => `\n${section(one)}\n`)
      .join("");
}

function section({ heading, text, prose }: ExportItem): string {
  const head = `## ${inline(heading)}`;
  if (text === "") return head;
  return `${head}\n\n${prose ? escaped(text) : fenced(text)}`;
}

/** The fence is longer than every run of backticks in the text. */
function fenced(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}\n${text}\n${fence}`;
}

/**
 * Escapes headings and HTML in a message, so they do not mix with those of the export. Code is
 * unchanged, and an open fence is closed.
 */
function escaped(text: string): string {
  let fence = "";
  const lines = text.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    const [run = "", rest = ""] = mark?.slice(1) ?? [];
    if (fence === "") {
      if (run === "" || (run.startsWith("`") && rest.includes("`"))) return escapedLine(line);
      fence = run;
    } else if (run.startsWith(fence) && rest.trim() === "") fence = "";
    return line;
  });
  return fence === "" ? lines.join("\n") : [...lines, fence].join("\n");
}

const codeSpan = /((`+)(?!`)[^\n]*?(?<!`)\2(?!`))/;

const escapedLine = (line: string): string =>
  line
    .replace(/^( {0,3})(#{1,6}(?:\s|$)|=+\s*$|-+\s*$)/, "$1\\$2")
    .split(codeSpan)
    // The pattern has two groups, so every third piece is text between code spans.
    .map((piece, at) => (at % 3 === 0 ? piece.replace(/<(?=[A-Za-z/!?])/g, "&lt;") : piece))
    .filter((_, at) => at % 3 !== 2)
    .join("");

const inline = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_[\]<>#]/g, "\\$&")
    .trim();
