/** Reports how far long work has come. */

/** Called before each of `of` parts; `what` names the part. */
export type Progress = (done: number, of: number, what: string) => void;

/** A bar of `cells` cells between two edges. Pure. */
export function progressBar(done: number, of: number, cells: number): string {
  const filled = of === 0 ? 0 : Math.min(cells, Math.floor((done / of) * cells));
  return `▐${"█".repeat(filled)}${"░".repeat(cells - filled)}▌`;
}
