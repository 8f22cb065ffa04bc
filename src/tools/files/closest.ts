import { editDistance } from "../../protocol/edit-distance.ts";

/** At most three similar names, the most similar first. */
export function closestNames(wanted: string, names: readonly string[]): string[] {
  const lower = wanted.toLowerCase();
  const stem = lower.replace(/\.[^.]+$/, "");
  const near: { name: string; distance: number }[] = [];
  for (const name of names) {
    const other = name.toLowerCase();
    const otherStem = other.replace(/\.[^.]+$/, "");
    const distance =
      stem !== "" && stem === otherStem ? 0 : editDistance(lower, other, lower.length / 3);
    if (distance !== null) near.push({ name, distance });
  }
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return near.slice(0, 3).map((one) => one.name);
}
