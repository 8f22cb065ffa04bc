import { editDistance } from "../../base/edit-distance.ts";

const maxComparedLines = 20_000;
const maxShownLines = 12;

/** A sentence with the lines most similar to `wanted`. */
export function nearestLines(text: string, wanted: string): string {
  const lines = text.split("\n");
  const wantedLines = wanted.split("\n").filter((line) => line.trim() !== "");
  const first = wantedLines[0]?.trim();
  if (first === undefined || lines.length > maxComparedLines) return "";
  const at = bestStart(lines, first);
  if (at === null) return " No line is similar; read the file again.";
  const count = Math.min(wanted.split("\n").length, maxShownLines);
  const shown = lines.slice(at, at + count).join("\n");
  const onlyWhitespace = shown.replace(/\s+/g, "") === wanted.replace(/\s+/g, "");
  const why = onlyWhitespace ? " It differs only in whitespace." : "";
  return `${why} The closest text is at line ${at + 1}:\n${shown}`;
}

function bestStart(lines: readonly string[], first: string): number | null {
  let best: { at: number; distance: number } | null = null;
  for (const [at, line] of lines.entries()) {
    const other = line.trim();
    if (other === "") continue;
    const limit = Math.min(first.length * 0.4, best ? best.distance - 1 : Infinity);
    const distance = other === first ? 0 : editDistance(other, first, limit);
    if (distance === 0) return at;
    if (distance !== null) best = { at, distance };
  }
  return best?.at ?? null;
}
