const declaration =
  /^\s*(?:export\s+|pub(?:\([^)]*\))?\s+|public\s+|private\s+|protected\s+|static\s+|default\s+|async\s+|abstract\s+)*(?:function\*?|class|interface|type|enum|const|let|def|fn|func|struct|impl|trait|mod|module|namespace|record)\s+[\w$<("'*]/;
const heading = /^#{1,4} \S/;

/** The declarations or headings of a text with their line numbers: where to look, not what is there. */
export function outline(text: string, mostLines = 80): string {
  const found = text
    .split("\n")
    .flatMap((line, index) =>
      declaration.test(line) || heading.test(line)
        ? [`${index + 1}: ${line.trimEnd().slice(0, 140)}`]
        : [],
    );
  const shown = found.slice(0, mostLines);
  return found.length > shown.length
    ? [...shown, `(${found.length - shown.length} more)`].join("\n")
    : shown.join("\n");
}
