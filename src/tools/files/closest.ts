/** Names that a person would call similar, the most similar first. */
export function closestNames(wanted: string, names: readonly string[], atMost = 3): string[] {
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
  return near.slice(0, atMost).map((one) => one.name);
}

/** Single-character changes from `a` to `b`; null when they are more than `atMost`. */
export function editDistance(a: string, b: string, atMost: number): number | null {
  if (Math.abs(a.length - b.length) > atMost || a.length > 500) return null;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > atMost) return null;
    row = next;
  }
  const distance = row[b.length] ?? 0;
  return distance <= atMost ? distance : null;
}
