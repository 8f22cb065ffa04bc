/** Lets a long loop over synchronous work give the screen time. */

const sliceMs = 20;

/** Call what it returns now and then: once 20 ms have passed, it waits for other work. */
export function pauser(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < sliceMs) return;
    await Bun.sleep(0);
    sinceMs = performance.now();
  };
}
