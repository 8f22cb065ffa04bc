/** The sections of a summary by subject, however they are titled. */

type Category =
  "needs" | "decisions" | "files" | "errors" | "messages" | "open" | "state" | "next" | "other";

type Section = { category: Category; title: string; lines: string[] };

/** The first match wins. */
const titles: readonly [Category, RegExp][] = [
  ["next", /next|continu/i],
  ["messages", /messages?\b|said/i],
  ["needs", /intent|need|request|instruction|constraint|goal|wants?\b|task and/i],
  ["decisions", /decision|decided|why|concept|ruled out/i],
  ["errors", /error|fix|fail|problem/i],
  ["open", /open|pending|cancel|todo|task|left/i],
  ["files", /file|change|code|command/i],
  ["state", /state|stand|current|now|done|accomplish|progress/i],
];

const heading =
  /^\s*(?:#{1,6}\s+|\*\*\s*)?(?:\d{1,2}[.)]\s+)?(?:\*\*)?([\p{L}][^:*\n]{2,60}?)(?:\*\*)?:?(?:\*\*)?\s*$/u;
const inline =
  /^\s*(?:\d{1,2}[.)]\s+|#{1,6}\s+|\*\*)(?:\*\*)?([\p{L}][^:*\n]{2,60}?)(?:\*\*)?:(?:\*\*)?\s+(\S.*)$/u;

/** Sections in order; text before the first heading is "other". */
export function splitSections(summary: string): Section[] {
  const sections: Section[] = [{ category: "other", title: "", lines: [] }];
  for (const line of summary.split("\n")) {
    const [, title, rest] = inline.exec(line) ?? matchHeading(line) ?? [];
    if (title === undefined) {
      if (line.trim() !== "") sections.at(-1)?.lines.push(line.trim());
      continue;
    }
    sections.push({
      category: categorize(title),
      title: title.trim(),
      lines: rest === undefined ? [] : [rest.trim()],
    });
  }
  return sections.filter(({ title, lines }) => title !== "" || lines.length > 0);
}

/** Every line of one category, without bullets. */
export const linesAbout = (summary: string, category: Category): string[] =>
  splitSections(summary)
    .filter((section) => section.category === category)
    .flatMap(({ lines }) => lines.map((line) => line.replace(/^[-*•]\s+/, "")));

/** A line marked as a heading by `#`, a number or stars. */
function matchHeading(line: string): RegExpExecArray | null {
  const marked = /^\s*(?:#{1,6}\s|\d{1,2}[.)]\s|\*\*)/.test(line);
  return marked ? heading.exec(line) : null;
}

const categorize = (title: string): Category =>
  titles.find(([, pattern]) => pattern.test(title))?.[0] ?? "other";
