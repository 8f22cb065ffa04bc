/** The places where a text was edited. */

/** Lines of context around an edit. */
const around = 5;

/** The lines that contain `texts`, with context and line numbers; at most about `maxChars`. */
export function editedRegions(whole: string, texts: readonly string[], maxChars: number): string {
  const lines = whole.split("\n");
  const shown = new Set<number>();
  for (const text of texts) {
    const at = text.trim() === "" ? -1 : whole.indexOf(text);
    if (at === -1) continue;
    const first = whole.slice(0, at).split("\n").length - 1;
    const last = first + text.split("\n").length - 1;
    const to = Math.min(lines.length - 1, last + around);
    for (let line = Math.max(0, first - around); line <= to; line++) shown.add(line);
  }
  let regions = "";
  let before = -1;
  for (const line of [...shown].sort((a, b) => a - b)) {
    if (line !== before + 1) regions += `... line ${line + 1}:\n`;
    regions += `${lines[line] ?? ""}\n`;
    before = line;
    if (regions.length > maxChars) break;
  }
  return regions;
}
