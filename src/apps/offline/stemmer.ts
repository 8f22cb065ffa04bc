/**
 * Reduces words to a common form, so that those of a question match those in code. Rough, but the
 * same on both sides.
 */

const irregular: Record<string, string> = {
  drawn: "draw",
  shown: "show",
  written: "writ",
  wrote: "writ",
  sent: "send",
  kept: "keep",
  found: "find",
  chosen: "choos",
  built: "build",
  thrown: "throw",
};

/** "draws", "drawn" and "drawing" are "draw"; "price" and "pricing" are "pric". */
export function stem(word: string): string {
  const known = irregular[word];
  if (known !== undefined) return known;
  const base = word
    .replace(/(?<=\w{2})ie[sd]$/, "y")
    .replace(/(?<=[aeiouy]\w+)(?:ing|ed)$|(?<=\w{2}[^sui])s$/, "");
  const single = base === word ? base : base.replace(/([bdgkmnprt])\1$/, "$1");
  return single.length > 3 ? single.replace(/e$/, "") : single;
}

/** The parts of every name and word in a text, as stems. */
export const stemsIn = (text: string): Set<string> =>
  new Set(
    (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((part) => stem(part.toLowerCase())),
  );
