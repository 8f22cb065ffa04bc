/** Milliseconds of work after which other tasks run. */
const sliceMs = 5;

/** The result of a long computation that yields often; keys and timers do not wait for all of it. */
export async function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const endMs = performance.now() + sliceMs;
    let step = steps.next();
    while (!step.done && performance.now() < endMs) step = steps.next();
    if (step.done) return step.value;
    await new Promise((resume) => setImmediate(resume));
  }
}
