/** Longer texts are not compared: the work grows with the product of the lengths. */
const maxChars = 500;

/**
 * Edits of single characters from `a` to `b`, where swapping two neighbors is one edit; null when
 * more than `atMost` are needed.
 */
export function editDistance(a: string, b: string, atMost: number): number | null {
  if (Math.abs(a.length - b.length) > atMost || a.length > maxChars) return null;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    if (Math.min(...row) > atMost) return null;
    before = last;
    last = row;
  }
  const distance = last[b.length] ?? 0;
  return distance <= atMost ? distance : null;
}
