/** Long work: it lets others run, and says how far it has come. */

const pauseEveryMs = 20;

/** Yields to other tasks when it is called and 20 ms have passed: for loops over synchronous work. */
export function yieldLoop(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < pauseEveryMs) return;
    await Bun.sleep(0);
    sinceMs = performance.now();
  };
}

/** Called before each of `of` parts; `what` names the part. */
export type Progress = (done: number, of: number, what: string) => void;

/** A bar of `cells` cells between two edges. Pure. */
export function progressBar(done: number, of: number, cells: number): string {
  const filled = of === 0 ? 0 : Math.min(cells, Math.floor((done / of) * cells));
  return `▐${"█".repeat(filled)}${"░".repeat(cells - filled)}▌`;
}
