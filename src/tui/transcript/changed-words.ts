/** The words that changed between a removed line and the added line in its place. */

/** Only loaded for the first diff that is shown. */
const jsdiff = (): typeof import("diff") => require("diff");

/** Longer lines are not compared. */
const maxChars = 500;

/** If the lines share less than this, marking words would only be noise. */
const minShared = 0.4;

export type Part = { text: string; isChanged: boolean };

/** Null: the lines have too little in common, or are too long. Pure. */
export function changedWords(old: string, now: string): { old: Part[]; now: Part[] } | null {
  if (Math.max(old.length, now.length) > maxChars) return null;
  const parts = jsdiff().diffWordsWithSpace(old, now);
  const shared = parts.reduce(
    (sum, { value, added, removed }) => (added || removed ? sum : sum + value.trim().length),
    0,
  );
  if (shared < Math.max(old.trim().length, now.trim().length) * minShared) return null;
  const side = (skip: "added" | "removed"): Part[] =>
    parts
      .filter((part) => !part[skip])
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }));
  return { old: side("added"), now: side("removed") };
}
